package cli

import (
	"os/exec"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/testenv"
)

// The commands of the copy menu work: lookout accepts them after a shell has split them into words.
func TestCopiedCommandsWork(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs a POSIX shell")
	}
	r := newSerialEnv(t, emulator.Options{})
	r.WriteConfig("[accounts.prod]\nbase_url = \"" + r.Base + "\"\n[accounts.lab]\nbase_url = \"" + r.Base + "\"\n")
	v := r.startDashboard(120, 36, &config.Flags{Account: "prod", NoMouse: true, Env: r.Variables})
	v.WaitFor("Services ─ 14")
	copied := func(entry string) string {
		v.Type("Y")
		v.WaitFor("row as JSON")
		v.Type(entry)
		line := v.WaitClipboard()
		v.WaitGone("row as JSON")
		return line
	}
	for _, pane := range []struct{ key, there, entries string }{
		{"2", "48213", "x"}, {
			"3", "edge-router", "x1",
		}, {"4", "Ada Wong", "x"}, {"5", "db2-root", "x"}, {"6", "bastion", "x"},
		{"9", "DEMOACCESSKEY", "x"}, {"0", "ap-south-1", "x"}, {"8", "acme-backups", "x1"}, {
			"<enter>", "README.txt", "x1",
		},
	} {
		v.Type(pane.key)
		v.WaitFor(pane.there)
		if pane.there == "README.txt" {
			v.Type("j") // folders stand first
		}
		for _, entry := range pane.entries {
			line := copied(string(entry))
			out, err := exec.Command(
				sh, "-c", "set -- "+strings.TrimPrefix(line, "lookout ")+"; printf '%s\\0' \"$@\"",
			).Output()
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			t.Chdir(t.TempDir()) // an object is fetched into the folder
			args := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
			if s := r.Run(args...); s.Code != exit.CodeOK || !strings.Contains(line, "-a prod") {
				t.Errorf("%s: %d %s", line, s.Code, s.Err)
			}
		}
	}
	v.Type("3")
	v.WaitFor("edge-router")
	curl := copied("u")
	if !strings.HasPrefix(curl, `curl -sS -H "Authorization: Bearer $LOOKOUT_TOKEN" http://127.0.0.1:`) ||
		testenv.LeaksToken(curl) ||
		!strings.Contains(curl, "/v4/managed/services/") {
		t.Errorf("curl: %s", curl)
	}
	v.Type("q")
	v.WaitExit()
}
