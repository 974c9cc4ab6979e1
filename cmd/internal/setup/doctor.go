package setup

import (
	"cmp"
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
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"lookout/client"
	"lookout/client/journal"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/dashboard"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/ui/terminal"
)

// A Diagnosis is the result of one check.
type Diagnosis struct {
	Check    string     `json:"check"`
	State    checkState `json:"state"`
	Text     string     `json:"text"`
	Next     string     `json:"next,omitempty"` // what to do about it
	exitCode int        // set if the check failed
}

// A checkState is the result of a check.
type checkState string

const (
	stateOK      checkState = "ok"
	stateWarning checkState = "warning"
	stateFailed  checkState = "failed"
	stateSkipped checkState = "skipped" // an earlier check failed
)

// Doctor checks everything that a run needs. Each check stores what later ones need.
type Doctor struct {
	Flags       *config.Flags
	settings    config.Settings
	token       client.Secret
	response    *http.Response
	sentAt      time.Time
	Findings    []Diagnosis
	Permissions []PanePermissions
}

// RunChecks runs all checks in order.
func (d *Doctor) RunChecks(ctx context.Context) {
	d.checkConfiguration(ctx)
	d.checkToken(ctx)
	d.checkConnection(ctx)
	d.checkClock()
	d.checkScopes(ctx)
	d.checkTerminal()
	d.checkClipboard()
	d.checkMouse()
	d.checkFolders()
}

func (d *Doctor) addFinding(check string, s checkState, text, next string) {
	d.Findings = append(d.Findings, Diagnosis{
		Check: check,
		State: s,
		Text:  client.Clean(text),
		Next:  next,
	})
}

func (d *Doctor) addFailure(check string, code int, err error, next string) {
	d.Findings = append(d.Findings, Diagnosis{check, stateFailed, client.Clean(err.Error()), next, code})
}

// passed reports whether a check ran and did not fail.
func (d *Doctor) passed(check string) bool {
	for _, f := range d.Findings {
		if f.Check == check {
			return f.State == stateOK || f.State == stateWarning
		}
	}
	return false
}

func (d *Doctor) checkConfiguration(ctx context.Context) {
	path, data, err := config.Read(d.Flags)
	if err != nil {
		d.addFailure("configuration", exit.CodeUsage, err, "lookout config path prints its path")
		return
	}
	cfg, _ := config.Parse(data)
	wrong := dashboard.CheckConfig(ctx, data)
	switch {
	case data == nil:
		d.addFinding("configuration", stateOK, "there is none at "+path, "")
	case len(wrong) == 0:
		d.addFinding("configuration", stateOK, path, "")
	}
	for _, one := range wrong {
		if one.Fatal {
			d.addFailure("configuration", exit.CodeUsage, config.Mistakes{one}.AsError(path), "lookout config edit")
			continue
		}
		d.addFinding("configuration", stateWarning, config.Mistakes{one}.AsError(path).Error(), "lookout config edit")
	}
	d.settings, err = config.Resolve(cfg, d.Flags)
	if err != nil {
		d.addFailure("account", exit.CodeUsage, err, "")
		return
	}
	text := d.settings.Account + " at " + d.settings.BaseURL
	if d.settings.ReadOnly {
		text += ", read-only"
	}
	d.addFinding("account", stateOK, text, "")
}

func (d *Doctor) checkToken(ctx context.Context) {
	if !d.passed("account") {
		d.addFinding("token", stateSkipped, "no account", "")
		return
	}
	source := d.settings.TokenSource()
	t, err := source.Get(ctx)
	if err != nil {
		d.addFailure("token", exit.CodeDenied, err, "")
		return
	}
	d.token = t
	d.addFinding("token", stateOK, "from "+source.Description, "")
}

// checkConnection sends a request without the token: any answer will do.
func (d *Doctor) checkConnection(ctx context.Context) {
	if !d.passed("account") {
		d.addFinding("address", stateSkipped, "no account", "")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	c, err := client.New(d.settings.BaseURL, client.NewSecret("none"))
	if err != nil {
		d.addFailure("address", exit.CodeUsage, err, "correct base_url")
		return
	}
	req, err := http.NewRequestWithContext(
		ctx, http.MethodGet, strings.TrimRight(d.settings.BaseURL, "/")+"/object-storage/clusters", nil,
	)
	if err != nil {
		d.addFailure("address", exit.CodeUsage, errors.New("the address is not valid"), "correct base_url")
		return
	}
	d.checkProxy(req)
	d.sentAt = time.Now()
	plain := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer plain.CloseIdleConnections()
	res, err := plain.Do(req)
	if err != nil {
		failure := &client.Error{Host: c.Host(), Cause: err}
		d.addFailure(
			"address", exit.CodeUnavailable, errors.New(failure.Why()), "check the address, the network and the proxy",
		)
		return
	}
	res.Body.Close()
	d.response = res
	d.addFinding(
		"address", stateOK, fmt.Sprintf("%s answers in %d ms", c.Host(), time.Since(d.sentAt).Milliseconds()), "",
	)
	d.checkTLS(res.TLS)
}

func (d *Doctor) checkProxy(req *http.Request) {
	through, err := http.ProxyFromEnvironment(req)
	switch {
	case err != nil:
		d.addFailure(
			"proxy", exit.CodeUnavailable, errors.New("HTTPS_PROXY or HTTP_PROXY is not a valid address"),
			"correct it or unset it",
		)
	case through != nil:
		d.addFinding("proxy", stateOK, "through "+through.Host, "")
	default:
		d.addFinding("proxy", stateOK, "none", "")
	}
}

func (d *Doctor) checkTLS(t *tls.ConnectionState) {
	if t == nil {
		d.addFinding("tls", stateWarning, "not encrypted, but the address is this machine's", "")
		return
	}
	text := tls.VersionName(t.Version)
	if len(t.PeerCertificates) == 0 {
		d.addFinding("tls", stateOK, text, "")
		return
	}
	ends := t.PeerCertificates[0].NotAfter
	text += ", certificate until " + ends.UTC().Format(time.DateOnly)
	if time.Until(ends) < 14*24*time.Hour {
		d.addFinding("tls", stateWarning, text, "the certificate expires soon; tell the server's administrator")
		return
	}
	d.addFinding("tls", stateOK, text, "")
}

// maxClockSkew is the difference between clocks from which ages and expiry times mislead.
const maxClockSkew = 30 * time.Second

// checkClock compares this machine's clock with the server's.
func (d *Doctor) checkClock() {
	if d.response == nil {
		d.addFinding("clock", stateSkipped, "the server did not answer", "")
		return
	}
	at, err := http.ParseTime(d.response.Header.Get("Date"))
	if err != nil {
		d.addFinding("clock", stateSkipped, "the server does not send the time", "")
		return
	}
	off := d.sentAt.Sub(at).Round(time.Second)
	if off.Abs() > maxClockSkew {
		d.addFinding(
			"clock", stateWarning, fmt.Sprintf("this machine's clock is off by %s", off),
			"set the clock: ages, expiry times and links depend on it",
		)
		return
	}
	d.addFinding("clock", stateOK, "within "+maxClockSkew.String()+" of the server's", "")
}

// checkScopes sends a request with the token and reports what it allows in each pane.
func (d *Doctor) checkScopes(ctx context.Context) {
	if !d.passed("token") || !d.passed("address") {
		d.addFinding("scopes", stateSkipped, "no token or no connection", "")
		return
	}
	c, err := d.settings.NewClient(d.token, nil)
	if err != nil {
		d.addFailure("scopes", exit.CodeDenied, err, "")
		return
	}
	_, err = c.Services.List(ctx, 1)
	var failure *client.Error
	if errors.As(err, &failure) && !deniedByAPI(failure) {
		d.addFailure("scopes", exit.CodeFor(err), err, failure.Advice())
		return
	}
	scopes := c.Scopes()
	d.Permissions = permissionsFor(cmp.Or(scopes, "*"), failure)
	switch {
	case failure != nil && failure.Status == http.StatusForbidden:
		d.addFinding(
			"scopes",
			stateWarning,
			describeScopes(scopes)+"; but no access to Managed: "+failure.Why(),
			failure.Advice(),
		)
	case failure != nil:
		d.addFinding("scopes", stateWarning, describeScopes(scopes)+"; "+failure.Why(), failure.Advice())
	default:
		d.addFinding("scopes", stateOK, describeScopes(scopes), "")
	}
}

func (d *Doctor) checkTerminal() {
	colours := map[colorprofile.Profile]string{
		colorprofile.ASCII:     "no colours",
		colorprofile.ANSI:      "16 colours",
		colorprofile.ANSI256:   "256 colours",
		colorprofile.TrueColor: "true colour",
	}[terminal.DetectColorProfile()]
	text := fmt.Sprintf("TERM=%s, %s", cmp.Or(os.Getenv("TERM"), "(not set)"), colours)
	if os.Getenv("NO_COLOR") != "" {
		text += " (NO_COLOR)"
	}
	if columns, lines, err := term.GetSize(os.Stdout.Fd()); err == nil {
		text += fmt.Sprintf(", %d×%d", columns, lines)
	}
	if !terminal.SupportsUnicode() {
		text += ", ASCII only (the locale is not UTF-8)"
	}
	if err := terminal.Check(); err != nil {
		d.addFinding("terminal", stateWarning, text+"; "+err.Error(), "script commands work without one")
		return
	}
	d.addFinding("terminal", stateOK, text, "")
}

func (d *Doctor) checkClipboard() {
	switch {
	case os.Getenv("TMUX") != "":
		d.addFinding(
			"clipboard", stateOK, "through tmux",
			"in ~/.tmux.conf: set -g set-clipboard on, and set -g allow-passthrough on",
		)
	case strings.HasPrefix(os.Getenv("TERM"), "screen"):
		d.addFinding("clipboard", stateOK, "through screen, where the terminal allows OSC 52", "")
	case os.Getenv("SSH_CONNECTION") != "":
		d.addFinding("clipboard", stateOK, "over ssh by OSC 52, where the terminal allows it", "")
	default:
		d.addFinding("clipboard", stateOK, "the system's, and OSC 52 where the terminal allows it", "")
	}
}

func (d *Doctor) checkMouse() {
	text := "wheel and clicks; --no-mouse leaves it to the terminal, as does M while running"
	if os.Getenv("TMUX") != "" {
		d.addFinding("mouse", stateOK, text, "in ~/.tmux.conf: set -g mouse on")
		return
	}
	d.addFinding("mouse", stateOK, text, "")
}

// checkFolders checks the folders of configuration and state, and the journal.
func (d *Doctor) checkFolders() {
	d.checkFolder("state folder", config.StateFolder(), 0o700)
	d.checkFolder("config folder", filepath.Join(xdg.ConfigHome, "lookout"), 0o700)
	if d.settings.Account == "" {
		return
	}
	path := d.settings.JournalPath()
	d.checkFolder("journal", path, 0o600)
	if _, err := os.Lstat(path); err != nil {
		return
	}
	j, err := journal.Open(path, d.settings.Account, time.Now)
	if err != nil {
		d.addFailure("journal", exit.CodeFailure, err, "lookout does not send a change that it cannot record")
		return
	}
	defer j.Close()
	if n := j.UnreadableLines(); n > 0 {
		d.addFinding("journal", stateWarning, fmt.Sprintf("%d unreadable lines", n), "lookout ignores them")
	}
}

// checkFolder checks that only the owner can read a folder.
func (d *Doctor) checkFolder(check, path string, mode os.FileMode) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.addFinding(check, stateOK, path+" is not there yet", "")
	case err != nil:
		d.addFailure(check, exit.CodeFailure, err, "")
	case runtime.GOOS != "windows" && info.Mode().Perm()&^mode != 0 && mode&0o077 == 0:
		d.addFinding(
			check, stateWarning, fmt.Sprintf("others can read %s (mode %04o)", path, info.Mode().Perm()),
			fmt.Sprintf("chmod %o %s", mode, path),
		)
	default:
		d.addFinding(check, stateOK, path, "")
	}
}

// Report returns the findings as text of at most 80 columns where words allow, with their number.
func (d *Doctor) Report() string {
	var b strings.Builder
	line := func(state, check, text string) {
		fmt.Fprintf(
			&b, "%-8s %-14s %s\n", state, check, strings.Join(output.WrapWords(text, 56), "\n"+strings.Repeat(" ", 24)),
		)
	}
	count := map[checkState]int{}
	for _, f := range d.Findings {
		count[f.State]++
		line(string(f.State), f.Check, f.Text)
		if f.Next != "" {
			line("", "", f.Next)
		}
		if f.Check == "scopes" {
			for _, r := range d.Permissions {
				fmt.Fprintf(&b, "%9s%s\n", "", r)
			}
		}
	}
	fmt.Fprintf(&b, "\nfailed: %d, warnings: %d\n", count[stateFailed], count[stateWarning])
	return b.String()
}

// ExitStatus returns an error with the exit code of the first failure and without text: the report has it.
func (d *Doctor) ExitStatus() error {
	for _, f := range d.Findings {
		if f.State == stateFailed {
			return exit.WithCode(f.exitCode, nil)
		}
	}
	return nil
}
