package setup

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"lookout/client"
	"lookout/client/visible"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/dashboard"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/version"
	"lookout/ui"
	"lookout/ui/shell"
	"lookout/ui/terminal"
)

// A Diagnosis is the result of one check.
type Diagnosis struct {
	Account  string     `json:"account,omitempty"` // if several accounts are checked: the one that this is about
	Check    string     `json:"check"`
	State    checkState `json:"state"`
	Text     string     `json:"text"`
	Next     string     `json:"next,omitempty"` // what to do about it: one step
	exitCode int        // set if the check failed
}

// A checkState is the result of a check.
type checkState string

const (
	stateOK      checkState = "ok"
	stateWarning checkState = "warning"
	stateFailed  checkState = "failed"
	stateSkipped checkState = "skipped" // an earlier check failed
	stateUnknown checkState = "unknown" // this cannot be checked from here
)

// Doctor checks everything that a run needs: all accounts, unless flags or environment choose one. Each check stores
// what later ones need.
type Doctor struct {
	Flags       *config.Flags
	account     string // see Diagnosis.Account
	settings    config.Settings
	token       client.Secret
	broken      bool   // a mistake in the configuration stops lookout from starting
	proxy       string // that requests go through; "" if there is none
	response    *http.Response
	sentAt      time.Time
	Findings    []Diagnosis
	Permissions []PanePermissions
}

// RunChecks runs all checks in order.
func (d *Doctor) RunChecks(ctx context.Context) {
	d.addFinding("lookout", stateOK, version.Line(), "")
	cfg, read := d.checkConfiguration(ctx)
	accounts := []string{""}
	_, err := config.Resolve(cfg, d.Flags)
	if len(cfg.Accounts) > 1 && !d.Flags.ChoosesAccount() || errors.Is(err, config.ErrSeveralAccounts) {
		accounts = slices.Sorted(maps.Keys(cfg.Accounts))
	}
	for _, name := range accounts {
		d.account, d.settings, d.token, d.proxy, d.response = name, config.Settings{}, client.Secret{}, "", nil
		if read {
			d.checkAccount(cfg)
		}
		d.checkToken(ctx)
		d.checkConnection(ctx)
		d.checkClock()
		d.checkScopes(ctx)
		if path := d.settings.JournalPath(); d.settings.Account != "" && path != "" {
			d.checkJournal(path)
		}
	}
	d.account = ""
	d.checkTerminal()
	d.checkClipboard()
	d.checkMouse()
	d.checkFolders()
}

func (d *Doctor) addFinding(check string, s checkState, text, next string) {
	d.Findings = append(d.Findings, Diagnosis{
		Account: d.account,
		Check:   check,
		State:   s,
		Text:    d.publicText(text),
		Next:    d.publicText(next),
	})
}

// addFailure adds a check that failed, with the exit code that it ends the program with.
func (d *Doctor) addFailure(check string, code int, err error, next string) {
	text, own := exit.SplitAdvice(err)
	d.addFinding(check, stateFailed, strings.TrimPrefix(text, check+": "), cmp.Or(own, next))
	d.Findings[len(d.Findings)-1].exitCode = code
}

// publicText returns a text as it may be pasted into a bug report: in one line, without tokens, and with ~ for the home
// folder. What the API said is already clean.
func (d *Doctor) publicText(text string) string {
	secrets := []string{d.token.Reveal()}
	for _, name := range config.TokenVariables(d.Flags) {
		secrets = append(secrets, strings.TrimSpace(d.Flags.Env.Get(name)))
	}
	for _, secret := range secrets {
		if len(secret) > 3 { // shorter ones are no secrets, and part of ordinary words
			text = strings.ReplaceAll(text, secret, client.NewSecret(secret).String())
		}
	}
	if home, err := os.UserHomeDir(); err == nil && len(home) > 1 {
		text = strings.ReplaceAll(text, home+string(filepath.Separator), "~"+string(filepath.Separator))
	}
	return oneLine(config.HideTokens(text))
}

// oneLine returns a text without line breaks, and with its hidden characters visible.
func oneLine(text string) string {
	return visible.Show(strings.NewReplacer("\n", " ", "\t", " ").Replace(text))
}

// passed reports whether a check of the account ran and did not fail.
func (d *Doctor) passed(check string) bool {
	for _, f := range d.Findings {
		if f.Check == check && f.Account == d.account {
			return f.State == stateOK || f.State == stateWarning
		}
	}
	return false
}

// checkConfiguration reads the configuration, and reports whether it could be read.
func (d *Doctor) checkConfiguration(ctx context.Context) (cfg config.File, read bool) {
	path, data, err := config.Read(d.Flags)
	noPlace := config.CheckHome(d.Flags)
	if err != nil && path != "" {
		d.addFailure("configuration", exit.CodeUsage, err, "lookout config path prints its path")
		return cfg, false
	}
	cfg, _ = config.Parse(data)
	wrong := dashboard.CheckConfig(ctx, data)
	switch {
	case noPlace != nil:
		d.addFailure("configuration", exit.CodeUsage, noPlace, "")
	case data == nil:
		d.addFinding("configuration", stateOK, "there is none at "+path, "")
	case len(wrong) == 0:
		d.addFinding("configuration", stateOK, path, "")
	}
	for _, one := range wrong {
		edit := "lookout config edit"
		if d.Flags.Config != "" {
			edit += " --config " + ui.ShellQuote(d.Flags.Config)
		}
		next := fmt.Sprintf("%s, line %d", edit, one.Line)
		if d.broken = d.broken || one.Fatal; one.Fatal {
			d.addFailure("configuration", exit.CodeUsage, config.Mistakes{one}.AsError(path), next)
			continue
		}
		d.addFinding("configuration", stateWarning, config.Mistakes{one}.AsError(path).Error(), next)
	}
	return cfg, true
}

// checkAccount finds out what the settings of the account are.
func (d *Doctor) checkAccount(cfg config.File) {
	flags := *d.Flags
	if d.account != "" {
		flags.Account, flags.AccountOnly = d.account, true
	}
	var err error
	d.settings, err = config.Resolve(cfg, &flags)
	switch {
	case err != nil && d.broken:
		d.addFinding("account", stateSkipped, "the configuration has mistakes", "")
		return
	case err != nil:
		d.addFailure("account", exit.CodeUsage, err, "choose another account with -a")
		return
	}
	text := d.settings.Account + " at " + d.settings.BaseURL
	if d.settings.ReadOnly {
		text += ", read-only"
	}
	d.addFinding("account", stateOK, text, "")
	if text, next, found := strings.Cut(d.settings.AddressProblem(), "; "); found {
		d.addFinding("account", stateWarning, text, next)
	}
}

func (d *Doctor) checkToken(ctx context.Context) {
	if !d.passed("account") {
		d.addFinding("token", stateSkipped, "no account", "")
		return
	}
	source := d.settings.TokenSource()
	if d.broken && source.Description == config.NoTokenSource {
		d.addFinding("token", stateSkipped, "the configuration has mistakes", "")
		return
	}
	t, err := source.Get(ctx)
	if err == nil {
		d.token = t
		_, err = client.New("https://localhost/v4", t) // the address has a check of its own
	}
	if err != nil {
		d.addFailure("token", exit.CodeDenied, err, d.tokenAdvice())
		return
	}
	d.addFinding("token", stateOK, "from "+source.Description, "")
}

// tokenAdvice says how a wrong token is replaced.
func (d *Doctor) tokenAdvice() string {
	s := d.settings
	if s.TokenOverride.Get == nil && (s.TokenFile != "" || s.Keyring) {
		return "lookout accounts token " + s.Account + " stores another one"
	}
	return "put a valid token into " + s.TokenSource().Description
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
	network := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	defer network.CloseIdleConnections()
	plain := &http.Client{
		Transport:     network,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if observe := d.settings.Observer(d.token); observe != nil {
		plain.Transport = observe(network)
	}
	res, err := plain.Do(req)
	if err != nil {
		failure := &client.Error{Host: c.Host(), Cause: err}
		text, next := failure.Why(), failure.ConnectionAdvice()
		if d.proxy != "" {
			text += " through the proxy " + d.proxy
		}
		d.addFailure("address", exit.CodeUnavailable, errors.New(text), next)
		return
	}
	res.Body.Close()
	d.response = res
	d.addFinding(
		"address", stateOK, fmt.Sprintf("%s responds in %d ms", c.Host(), time.Since(d.sentAt).Milliseconds()), "",
	)
	d.checkTLS(res.TLS)
}

func (d *Doctor) checkProxy(req *http.Request) {
	through, err := http.ProxyFromEnvironment(req)
	wrong := wrongProxyVariable()
	switch {
	case err == nil && through != nil:
		d.proxy = through.Host
		d.addFinding("proxy", stateOK, "through "+through.Host, "")
	case err != nil || wrong != "": // Go's library ignores such a variable
		d.addFinding(
			"proxy", stateWarning, cmp.Or(wrong, "HTTPS_PROXY")+" is not a valid address, and is ignored",
			"correct the variable, or unset it",
		)
	default:
		d.addFinding("proxy", stateOK, "none", "")
	}
}

// wrongProxyVariable returns the name of a variable that should name a proxy and does not; "" if there is none.
func wrongProxyVariable() string {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		text := os.Getenv(name)
		if !strings.Contains(text, "://") {
			text = "http://" + text
		}
		if u, err := url.Parse(text); os.Getenv(name) != "" && (err != nil || u.Host == "") {
			return name
		}
	}
	return ""
}

func (d *Doctor) checkTLS(t *tls.ConnectionState) {
	if t == nil {
		d.addFinding("tls", stateOK, "none is needed: the address is this machine's", "")
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
		d.addFinding("clock", stateSkipped, "the server did not respond", "")
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
		d.addFailure("scopes", exit.CodeDenied, err, d.tokenAdvice())
		return
	}
	_, err = c.Services.List(ctx, 1)
	var failure *client.Error
	if errors.As(err, &failure) && !deniedByAPI(failure) {
		next := cmp.Or(failure.Advice(), "run lookout doctor again later")
		switch wait, limited := failure.RateLimited(); {
		case failure.Unauthorized():
			next = d.tokenAdvice()
		case limited && wait > 0:
			next = "run lookout doctor again in " + wait.Round(time.Second).String()
		case limited:
			next = "run lookout doctor again in a minute"
		}
		d.addFailure("scopes", exit.CodeFor(err), err, next)
		return
	}
	scopes := c.Scopes()
	panes := readPanes(ctx, c)
	for i := range panes {
		panes[i].Account, panes[i].Why = d.account, d.publicText(panes[i].Why)
	}
	d.Permissions = append(d.Permissions, panes...)
	defer d.checkPanes(panes)
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

// checkPanes names the panes that the token cannot read, and those of which that is not known.
func (d *Doctor) checkPanes(panes []PanePermissions) {
	closed, unknown := panesThat(mayNothing, panes), panesThat(mayNotKnown, panes)
	switch {
	case readNothing(panes):
		d.addFailure("panes", exit.CodeDenied, errReadsNothing, adviceFor(mayNothing, panes))
	case closed != "":
		d.addFinding("panes", stateWarning, "cannot be read: "+closed, adviceFor(mayNothing, panes))
	}
	if unknown != "" {
		d.addFinding("panes", stateUnknown, "not known: "+unknown, adviceFor(mayNotKnown, panes))
	}
	if closed+unknown == "" {
		d.addFinding("panes", stateOK, fmt.Sprintf("all %d can be read", len(panes)), "")
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
	columns, lines, err := term.GetSize(os.Stdout.Fd())
	sized := err == nil && columns > 0 // a serial line has no size
	if sized {
		text += fmt.Sprintf(", %d×%d", columns, lines)
	}
	trouble := false
	warn := func(why, next string) {
		trouble = true
		d.addFinding("terminal", stateWarning, text+"; "+why, next)
	}
	if unusable := terminal.Check(); unusable != nil {
		next := "run it in a terminal; script commands need none: lookout services list"
		if os.Getenv("TERM") == "dumb" {
			next = "lookout --linear, or set TERM to what the terminal is, such as xterm-256color"
		}
		warn(unusable.Error(), next)
	} else if os.Getenv("TERM") == "" && runtime.GOOS != "windows" {
		warn("nothing says what the terminal can show", "set TERM to what the terminal is, such as xterm-256color")
	}
	if sized && (columns < shell.MinWidth || lines < shell.MinHeight) {
		warn(
			fmt.Sprintf("the dashboard needs %d×%d cells", shell.MinWidth, shell.MinHeight),
			"make the window larger; lookout watch needs less",
		)
	}
	if !terminal.SupportsUnicode() {
		warn("ASCII only: the locale is not UTF-8", "set LANG to a UTF-8 locale, such as C.UTF-8")
	}
	if !trouble {
		d.addFinding("terminal", stateOK, text, "")
	}
}

// checkClipboard finds out how copies reach the clipboard. Terminals cannot be asked whether they accept OSC 52.
func (d *Doctor) checkClipboard() {
	const check = "clipboard"
	const advice = "copy something with y and paste it; if nothing appears, allow OSC 52 in the terminal"
	command := terminal.ClipboardCommand()
	switch {
	case os.Getenv("TMUX") != "":
		d.checkTmuxClipboard(advice)
	case os.Getenv("SSH_CONNECTION") != "":
		d.addFinding(check, stateUnknown, "over ssh: the terminal decides (OSC 52)", advice)
	case strings.HasPrefix(os.Getenv("TERM"), "screen"):
		d.addFinding(check, stateUnknown, "through screen: the terminal decides (OSC 52)", advice)
	case command == "":
		d.addFinding(
			check, stateWarning, "no command for the system's clipboard is installed; the terminal decides (OSC 52)",
			"install wl-copy, xclip or xsel",
		)
	default:
		d.addFinding(check, stateOK, "the system's, through "+command, "")
	}
}

// checkTmuxClipboard finds out whether tmux takes copies. An older one decides by its options, and by default keeps
// what programs copy.
func (d *Doctor) checkTmuxClipboard(advice string) {
	if version, takesCopies := terminal.TmuxVersion(); takesCopies {
		d.addFinding("clipboard", stateUnknown, "through tmux "+version+": its terminal decides (OSC 52)", advice)
		return
	}
	advice = "use tmux 3.2 or later, or in ~/.tmux.conf: set -g set-clipboard on"
	set, pass := terminal.TmuxOption("set-clipboard"), terminal.TmuxOption("allow-passthrough")
	switch {
	case set == "on":
		d.addFinding("clipboard", stateOK, "through tmux, which passes copies on (set-clipboard on)", "")
	case pass == "on" || pass == "all":
		d.addFinding("clipboard", stateOK, "through tmux, which passes copies on (allow-passthrough "+pass+")", "")
	case set == "":
		d.addFinding("clipboard", stateUnknown, "through tmux, which does not report its options", advice)
	default:
		d.addFinding("clipboard", stateWarning, "tmux keeps what programs copy (set-clipboard "+set+")", advice)
	}
}

func (d *Doctor) checkMouse() {
	const text, advice = "wheel and clicks work; --no-mouse, or M while running, returns the mouse to the terminal",
		"in ~/.tmux.conf: set -g mouse on"
	switch set := terminal.TmuxOption("mouse"); {
	case os.Getenv("TMUX") == "" || set == "on":
		d.addFinding("mouse", stateOK, text, "")
	case set == "":
		d.addFinding("mouse", stateUnknown, "not known in tmux, which does not report its options", advice)
	default:
		d.addFinding("mouse", stateWarning, "tmux keeps wheel and clicks (mouse "+set+")", advice)
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
	account := ""
	for _, f := range d.Findings {
		if f.Account != account {
			b.WriteString("\n")
			account = f.Account
		}
		count[f.State]++
		line(string(f.State), f.Check, f.Text)
		if f.Next != "" {
			line("", "", "next: "+f.Next)
		}
		if f.Check == "scopes" {
			for _, r := range d.Permissions {
				if r.Account == f.Account {
					fmt.Fprintf(&b, "%9s%s\n", "", r)
				}
			}
		}
	}
	fmt.Fprintf(
		&b, "\nfailed: %d, warnings: %d, unknown: %d\n", count[stateFailed], count[stateWarning], count[stateUnknown],
	)
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
