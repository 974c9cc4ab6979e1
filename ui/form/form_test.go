package form

import (
	"context"
	"lookout/ui/uitest"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// A refused form stays open with everything typed, the reasons beneath their fields and what belongs nowhere on top.
func TestFormView_rejectionKeepsValues(t *testing.T) {
	var label, region, password string
	sent := 0
	form := Form{
		Title:        "New",
		ProgressText: "adding",
		SubmitLabel:  "add",
		Fields: []Field{
			Text(
				"label",
				"Label",
				&label,
				Length(3, 10),
			), Text("region", "Region", &region), Secret("password", "Password", &password)},
		Send: func(context.Context) (func() tea.Cmd, error) {
			sent++
			return nil, rejectionError{"region": "is required", "other": "is odd"}
		},
	}
	v := NewFormView(form, t.Context())
	b := uitest.NewBox(t, 70, 20)
	typed := func(text string) {
		for _, r := range text {
			v.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	send := func() { uitest.RunAll(v.Update(tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl})) }
	typed("ab")
	send()
	if sent != 0 || !strings.Contains(ansi.Strip(v.View(b)), "3 to 10 characters") {
		t.Fatalf("sent %d times:\n%s", sent, v.View(b))
	}
	typed("cd")
	v.Update(tea.KeyPressMsg{Code: tea.KeyTab})
	v.Update(tea.KeyPressMsg{Code: tea.KeyTab})
	typed("canary")
	first := v.Update(tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl})
	if v.Update(tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl}) != nil {
		t.Error("a form that is being sent is sent again")
	}
	uitest.RunAll(first)
	screen := ansi.Strip(v.View(b))
	if v.Done() || sent != 1 || label != "abcd" || !strings.Contains(screen, "abcd") ||
		!strings.Contains(screen, "is required") ||
		!strings.Contains(screen, "other: is odd") {
		t.Errorf("done %v, sent %d, label %q:\n%s", v.Done(), sent, label, screen)
	}
	if strings.Contains(screen, "canary") || password != "canary" {
		t.Error("the password is shown or lost")
	}
	if v.focus != 1 {
		t.Errorf("the keyboard is at field %d, not at the refused one", v.focus)
	}
	v.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
	if v.Done() {
		t.Error("one esc throws away what was typed")
	}
}

type rejectionError map[string]string

func (rejectionError) Error() string { return "create: refused" }

func (r rejectionError) Fields() map[string]string { return r }
