package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/journal"
	"lookout/theme"
	"lookout/ui/terminal"
)

// A finding is what the doctor says about one thing.
type finding struct {
	Check string `json:"check"`
	State state  `json:"state"`
	Text  string `json:"text"`
	Next  string `json:"next,omitempty"` // what to do about it
	code  int    // of the program's end, where it failed
}

// A state is how well something is.
type state string

const (
	fine    state = "ok"
	doubt   state = "warning"
	failed  state = "failed"
	skipped state = "skipped" // something before it failed
)

// doctor looks at everything that a run needs. Each look leaves what the next ones need.
type doctor struct {
	f        *flags
	settings settings
	token    client.Secret
	res      *http.Response
	sent     time.Time
	findings []finding
	reaches  []reach
}

func doctorCommand(f *flags) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "doctor", Short: "Check configuration, token, connection, terminal and folders", Args: nothing, Example: examples("lookout doctor\nlookout doctor --json"),
		Long: "Looks at the configuration, where the token is, the address, TLS, proxy and clock, the token's scopes and what they allow in each pane,\n" +
			"the terminal, and the folders for state. It changes nothing. Warnings end with 0, the first failure decides the exit code:\n" +
			"2 configuration, 3 token, 6 no connection, 1 anything else.",
		RunE: func(c *cobra.Command, _ []string) error {
			d := &doctor{f: f, reaches: []reach{}}
			d.examine(c.Context())
			if asJSON {
				if err := writeJSON(c.OutOrStdout(), map[string]any{"findings": d.findings, "panes": d.reaches}, "  "); err != nil {
					return err
				}
				return d.verdict()
			}
			if err := emit(c.OutOrStdout(), d.report()); err != nil {
				return err
			}
			return d.verdict()
		},
	}
	f.ofAccount(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "write the findings as JSON")
	return c
}

// examine makes every check in turn.
func (d *doctor) examine(ctx context.Context) {
	d.configuration(ctx)
	d.tokenAtHand(ctx)
	d.connection(ctx)
	d.clock()
	d.scopes(ctx)
	d.screen()
	d.clipboard()
	d.mouse()
	d.folders()
}

func (d *doctor) say(check string, s state, text, next string) {
	d.findings = append(d.findings, finding{Check: check, State: s, Text: client.Clean(text), Next: next})
}

func (d *doctor) fail(check string, code int, err error, next string) {
	d.findings = append(d.findings, finding{check, failed, client.Clean(err.Error()), next, code})
}

// well reports whether a check was made and did not fail.
func (d *doctor) well(check string) bool {
	for _, f := range d.findings {
		if f.Check == check {
			return f.State == fine || f.State == doubt
		}
	}
	return false
}

func (d *doctor) configuration(ctx context.Context) {
	path, data, err := readConfig(d.f)
	if err != nil {
		d.fail("configuration", exitUsage, err, "lookout config path says where it is looked for")
		return
	}
	cfg, _ := parse(data)
	wrong := allMistakes(ctx, data)
	switch {
	case data == nil:
		d.say("configuration", fine, "there is none at "+path, "")
	case len(wrong) == 0:
		d.say("configuration", fine, path, "")
	}
	for _, one := range wrong {
		if one.grave {
			d.fail("configuration", exitUsage, mistakes{one}.in(path), "lookout config edit")
			continue
		}
		d.say("configuration", doubt, mistakes{one}.in(path).Error(), "lookout config edit")
	}
	d.settings, err = choose(cfg, d.f)
	if err != nil {
		d.fail("account", exitUsage, err, "")
		return
	}
	text := d.settings.Account + " at " + d.settings.BaseURL
	if d.settings.ReadOnly {
		text += ", read-only"
	}
	d.say("account", fine, text, "")
}

func (d *doctor) tokenAtHand(ctx context.Context) {
	if !d.well("account") {
		d.say("token", skipped, "there is no account", "")
		return
	}
	source := d.settings.source()
	t, err := source.get(ctx)
	if err != nil {
		d.fail("token", exitDenied, err, "")
		return
	}
	d.token = t
	d.say("token", fine, "from "+source.source, "")
}

// connection asks the server for anything, without the token: what counts is that there is an answer.
func (d *doctor) connection(ctx context.Context) {
	if !d.well("account") {
		d.say("address", skipped, "there is no account", "")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	c, err := client.New(d.settings.BaseURL, client.NewSecret("none"))
	if err != nil {
		d.fail("address", exitUsage, err, "correct base_url")
		return
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(d.settings.BaseURL, "/")+"/object-storage/clusters", nil)
	if err != nil {
		d.fail("address", exitUsage, errors.New("the address cannot be built"), "correct base_url")
		return
	}
	d.proxy(req)
	d.sent = time.Now()
	plain := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer plain.CloseIdleConnections()
	res, err := plain.Do(req)
	if err != nil {
		failure := &client.Error{Host: c.Host(), Cause: err}
		d.fail("address", exitLater, errors.New(failure.Why()), "check the address, the network and the proxy")
		return
	}
	res.Body.Close()
	d.res = res
	d.say("address", fine, fmt.Sprintf("%s answers in %d ms", c.Host(), time.Since(d.sent).Milliseconds()), "")
	d.encryption(res.TLS)
}

func (d *doctor) proxy(req *http.Request) {
	through, err := http.ProxyFromEnvironment(req)
	switch {
	case err != nil:
		d.fail("proxy", exitLater, errors.New("HTTPS_PROXY or HTTP_PROXY holds no address"), "correct it or unset it")
	case through != nil:
		d.say("proxy", fine, "through "+through.Host, "")
	default:
		d.say("proxy", fine, "none", "")
	}
}

func (d *doctor) encryption(t *tls.ConnectionState) {
	if t == nil {
		d.say("tls", doubt, "not encrypted: this machine's own address", "")
		return
	}
	text := tls.VersionName(t.Version)
	if len(t.PeerCertificates) == 0 {
		d.say("tls", fine, text, "")
		return
	}
	ends := t.PeerCertificates[0].NotAfter
	text += ", certificate until " + ends.UTC().Format(time.DateOnly)
	if time.Until(ends) < 14*24*time.Hour {
		d.say("tls", doubt, text, "it ends soon; whoever runs the server should know")
		return
	}
	d.say("tls", fine, text, "")
}

// skewed is how wrong a clock may be before ages and ends are misleading.
const skewed = 30 * time.Second

// clock compares this machine's clock with the server's.
func (d *doctor) clock() {
	if d.res == nil {
		d.say("clock", skipped, "there is no answer to compare with", "")
		return
	}
	at, err := http.ParseTime(d.res.Header.Get("Date"))
	if err != nil {
		d.say("clock", skipped, "the server does not say what time it is", "")
		return
	}
	off := d.sent.Sub(at).Round(time.Second)
	if off.Abs() > skewed {
		d.say("clock", doubt, fmt.Sprintf("this machine is off by %s", off), "set the clock: ages, ends and links go by it")
		return
	}
	d.say("clock", fine, "within "+skewed.String()+" of the server's", "")
}

// scopes asks with the token, and tells what it allows pane by pane.
func (d *doctor) scopes(ctx context.Context) {
	if !d.well("token") || !d.well("address") {
		d.say("scopes", skipped, "there is no token or no connection", "")
		return
	}
	c, err := d.settings.client(d.token, nil)
	if err != nil {
		d.fail("scopes", exitDenied, err, "")
		return
	}
	_, err = c.Services.List(ctx, 1)
	var failure *client.Error
	if errors.As(err, &failure) && !closed(failure) {
		d.fail("scopes", codeOf(err), err, failure.Advice())
		return
	}
	scopes := c.Scopes()
	d.reaches = reachOf(orElse(scopes, "*"), failure)
	switch {
	case failure != nil && failure.Status == http.StatusForbidden:
		d.say("scopes", doubt, scopesShown(scopes)+"; but the user is restricted: Managed is closed", failure.Advice())
	case failure != nil:
		d.say("scopes", doubt, scopesShown(scopes)+"; "+failure.Why(), failure.Advice())
	default:
		d.say("scopes", fine, scopesShown(scopes), "")
	}
}

func (d *doctor) screen() {
	colours := map[theme.ColorProfile]string{theme.NoColor: "no colours", theme.ANSI16: "16 colours", theme.ANSI256: "256 colours", theme.TrueColor: "true colour"}[terminal.DetectColorProfile()]
	text := fmt.Sprintf("TERM=%s, %s", orElse(os.Getenv("TERM"), "(not set)"), colours)
	if os.Getenv("NO_COLOR") != "" {
		text += " (NO_COLOR)"
	}
	if columns, lines, err := term.GetSize(os.Stdout.Fd()); err == nil {
		text += fmt.Sprintf(", %d×%d", columns, lines)
	}
	if !terminal.SupportsUnicode() {
		text += ", ASCII alone (the locale is not UTF-8)"
	}
	if err := terminal.Check(); err != nil {
		d.say("terminal", doubt, text+"; "+err.Error(), "the commands for scripts work without one")
		return
	}
	d.say("terminal", fine, text, "")
}

func (d *doctor) clipboard() {
	switch {
	case os.Getenv("TMUX") != "":
		d.say("clipboard", fine, "through tmux", "in ~/.tmux.conf: set -g set-clipboard on, and set -g allow-passthrough on")
	case strings.HasPrefix(os.Getenv("TERM"), "screen"):
		d.say("clipboard", fine, "through screen, where the terminal allows OSC 52", "")
	case os.Getenv("SSH_CONNECTION") != "":
		d.say("clipboard", fine, "over ssh by OSC 52, where the terminal allows it", "")
	default:
		d.say("clipboard", fine, "the system's, and OSC 52 where the terminal allows it", "")
	}
}

func (d *doctor) mouse() {
	text := "wheel and clicks; --no-mouse leaves it to the terminal, as does M while running"
	if os.Getenv("TMUX") != "" {
		d.say("mouse", fine, text, "in ~/.tmux.conf: set -g mouse on")
		return
	}
	d.say("mouse", fine, text, "")
}

// folders looks at what the program keeps.
func (d *doctor) folders() {
	d.folder("state folder", stateFolder(), 0o700)
	d.folder("config folder", filepath.Join(xdg.ConfigHome, "lookout"), 0o700)
	if d.settings.Account == "" {
		return
	}
	path := d.settings.journalPath()
	d.folder("journal", path, 0o600)
	if _, err := os.Stat(path); err != nil {
		return
	}
	j, err := journal.Open(path, d.settings.Account, time.Now)
	if err != nil {
		d.fail("journal", exitError, err, "a change that cannot be recorded is not sent")
		return
	}
	defer j.Close()
	if n := j.Torn(); n > 0 {
		d.say("journal", doubt, fmt.Sprintf("lines that cannot be read: %d", n), "they are passed over; what they said is lost")
	}
}

// folder checks that something is its owner's alone.
func (d *doctor) folder(check, path string, mode os.FileMode) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.say(check, fine, path+" is not there yet", "")
	case err != nil:
		d.fail(check, exitError, err, "")
	case runtime.GOOS != "windows" && info.Mode().Perm()&^mode != 0 && mode&0o077 == 0:
		d.say(check, doubt, fmt.Sprintf("%s has the mode %04o: others may look", path, info.Mode().Perm()), fmt.Sprintf("chmod %o %s", mode, path))
	default:
		d.say(check, fine, path, "")
	}
}

// report is the findings to be read, in lines of 80 columns where words allow, and what they come to.
func (d *doctor) report() string {
	var b strings.Builder
	line := func(state, check, text string) {
		fmt.Fprintf(&b, "%-8s %-14s %s\n", state, check, strings.Join(folded(text, 56), "\n"+strings.Repeat(" ", 24)))
	}
	count := map[state]int{}
	for _, f := range d.findings {
		count[f.State]++
		line(string(f.State), f.Check, f.Text)
		if f.Next != "" {
			line("", "", f.Next)
		}
		if f.Check == "scopes" {
			for _, r := range d.reaches {
				fmt.Fprintf(&b, "%9s%s\n", "", r)
			}
		}
	}
	fmt.Fprintf(&b, "\nfailed: %d, warnings: %d\n", count[failed], count[doubt])
	return b.String()
}

// verdict is the exit code of the first failure; the report has told it.
func (d *doctor) verdict() error {
	for _, f := range d.findings {
		if f.State == failed {
			return &exit{f.code, nil}
		}
	}
	return nil
}
