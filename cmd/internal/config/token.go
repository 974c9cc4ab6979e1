package config

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"github.com/zalando/go-keyring"

	"lookout/client"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/prompt"
)

// NoTokenSource describes the source of a token that is nowhere.
const NoTokenSource = "nowhere"

// A tokenSource describes where a token is and reads it.
type tokenSource struct {
	Description string
	Get         func(context.Context) (client.Secret, error)
}

// tokenFromFlags returns the source that a flag or LOOKOUT_TOKEN chooses; an empty one without them.
func tokenFromFlags(f *Flags) tokenSource {
	switch {
	case f.TokenFile != "":
		return fileTokenSource(f.TokenFile)
	case f.TokenEnv != "":
		return f.Env.tokenSource(f.TokenEnv, f.savedTokens)
	case f.Env.Get("LOOKOUT_TOKEN") != "":
		return f.Env.tokenSource("LOOKOUT_TOKEN", f.savedTokens)
	}
	return tokenSource{}
}

// TokenSource returns where the account's token is: flags first, then the environment, then the account's block.
func (s Settings) TokenSource() tokenSource {
	switch {
	case s.TokenOverride.Get != nil:
		return s.TokenOverride
	case s.TokenFile != "":
		return fileTokenSource(expandHome(s.TokenFile))
	case len(s.TokenCommand) > 0:
		return tokenSource{
			"token_command " + s.TokenCommand[0],
			func(ctx context.Context) (client.Secret, error) { return s.runTokenCommand(ctx) },
		}
	case s.TokenEnv != "":
		return s.env.tokenSource(s.TokenEnv, s.savedTokens)
	case s.Keyring:
		return tokenSource{
			"the system's keyring",
			func(ctx context.Context) (client.Secret, error) { return readKeyringToken(ctx, s.Account) },
		}
	case s.LinodeCLI != "":
		return tokenSource{
			"linode-cli, user " + s.LinodeCLI,
			func(context.Context) (client.Secret, error) { return s.env.readLinodeCLIToken(s.LinodeCLI) },
		}
	}
	return tokenSource{
		NoTokenSource,
		func(context.Context) (client.Secret, error) { return client.Secret{}, noTokenError(s.env) },
	}
}

// WithToken returns the settings with a token that was read before.
func (s Settings) WithToken(token client.Secret) Settings {
	s.TokenOverride = tokenSource{
		s.TokenSource().Description, func(context.Context) (client.Secret, error) { return token, nil },
	}
	return s
}

// ReadToken reads the account's token.
func (s Settings) ReadToken(ctx context.Context) (client.Secret, error) {
	return s.TokenSource().Get(ctx)
}

// noTokenError says where a token can come from, and names the tokens found on this machine.
func noTokenError(env Environment) error {
	next := "lookout accounts token stores one; or set LOOKOUT_TOKEN, or give --token-file"
	offers, ignored := env.FindTokenOffers()
	for _, o := range offers {
		next += "; " + o.hint
	}
	if ignored != nil {
		next += "; not used: " + ignored.Error()
	}
	return exit.Advise(errors.New("there is no token"), next)
}

// A FoundToken is a token of the provider's own tools, found on this machine.
type FoundToken struct{ Key, Value, Description, hint string }

// FindTokenOffers returns the tokens found on this machine. None is used unless the user says so. ignored says why the
// configuration of linode-cli, which exists, offers none.
func (e Environment) FindTokenOffers() (found []FoundToken, ignored error) {
	if e.Get("LINODE_TOKEN") != "" {
		found = append(
			found,
			FoundToken{
				"token_env", `"LINODE_TOKEN"`, "in LINODE_TOKEN, which is set here; it is not copied",
				"LINODE_TOKEN is set: --token-env LINODE_TOKEN uses it",
			},
		)
	}
	users, ignored := e.linodeCLIUsers()
	for _, user := range users {
		found = append(
			found,
			FoundToken{
				"linode_cli",
				fmt.Sprintf("%q", user),
				fmt.Sprintf("linode-cli's, of its user %s; it is not copied", client.Clean(user)),
				fmt.Sprintf("linode-cli has one: linode_cli = %q in the account's block uses it", user),
			},
		)
	}
	return found, ignored
}

// tokenSource reads the token from a variable, or from what was saved before it was unset.
func (e Environment) tokenSource(name string, kept map[string]client.Secret) tokenSource {
	return tokenSource{"$" + name, func(context.Context) (client.Secret, error) {
		if t := kept[name]; !t.IsZero() {
			return t, nil
		}
		if t := strings.TrimSpace(e.Get(name)); t != "" {
			return client.NewSecret(t), nil
		}
		return client.Secret{}, exit.Advise(
			fmt.Errorf("the environment variable %s is empty", client.Clean(name)), "set it to the token",
		)
	}}
}

func fileTokenSource(path string) tokenSource {
	return tokenSource{"the file " + path, func(context.Context) (client.Secret, error) { return readTokenFile(path) }}
}

// checkPrivateFile rejects a file that others can read or replace.
func checkPrivateFile(what, path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return exit.Advise(fmt.Errorf("%s: %w", what, err), "correct its path, or write the token to it")
	case !info.Mode().IsRegular():
		return exit.Advise(fmt.Errorf("%s: %s is not a regular file", what, path), "name the file itself")
	case OwnedByOther(info):
		return exit.Advise(fmt.Errorf("%s: %s belongs to another user", what, path), "use a file of your own")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return exit.Advise(
			fmt.Errorf("%s: others can read it (mode %04o)", what, info.Mode().Perm()),
			"run chmod 600 "+path+" first",
		)
	}
	return checkPrivateFolder(what, filepath.Dir(path))
}

// checkPrivateFolder rejects a folder in which anybody can replace a file.
func checkPrivateFolder(what, path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0 && info.Mode()&os.ModeSticky == 0:
		return exit.Advise(
			fmt.Errorf("%s: anybody can change %s (mode %04o)", what, path, info.Mode().Perm()),
			"run chmod o-w "+path+" first",
		)
	}
	return nil
}

// readTokenFile reads a token from a file that nobody else can read.
func readTokenFile(path string) (client.Secret, error) {
	if err := checkPrivateFile("token file", path); err != nil {
		return client.Secret{}, err
	}
	file, err := os.Open(path)
	if err != nil {
		return client.Secret{}, fmt.Errorf("token file: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, prompt.MaxSecretBytes+1))
	switch {
	case err != nil:
		return client.Secret{}, fmt.Errorf("token file: %w", err)
	case len(data) > prompt.MaxSecretBytes:
		return client.Secret{}, exit.Advise(
			fmt.Errorf("token file: %s is longer than %d bytes, too long for a token", path, prompt.MaxSecretBytes),
			"give a file that contains only the token",
		)
	case len(bytes.TrimSpace(data)) == 0:
		return client.Secret{}, exit.Advise(
			fmt.Errorf("token file: %s is empty", path), "write the token to it, as lookout accounts token does",
		)
	}
	return client.NewSecret(string(bytes.TrimSpace(data))), nil
}

// runTokenCommand reads the token from a program's output. The program gets no token of an account, but keeps the
// variables that it needs itself: VAULT_TOKEN.
func (s Settings) runTokenCommand(caller context.Context) (client.Secret, error) {
	command, limit := s.TokenCommand, s.tokenTimeout()
	ctx, cancel := context.WithTimeout(caller, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = time.Second
	hidden := append(builtInTokenVariables(), s.tokenNames...)
	if caller.Value(noTerminalKey{}) != nil {
		detachFromTerminal(cmd)
		cmd.WaitDelay = time.Second / 2
		hidden = append(hidden, "GPG_TTY")
	}
	cmd.Env = s.env.without(hidden)
	if out, ok := caller.Value(progressKey{}).(io.Writer); ok {
		defer time.AfterFunc(waitNotice, func() {
			fmt.Fprintln(out, "lookout: waiting for "+s.TokenWait()+"; ctrl+c cancels")
		}).Stop()
	}
	said, printed := &firstBytes{limit: maxComplaint}, &firstBytes{limit: prompt.MaxSecretBytes, full: cancel}
	cmd.Stderr, cmd.Stdout = said, printed
	err := cmd.Run()
	out := printed.text
	token := client.NewSecret(string(bytes.TrimSpace(out)))
	fail := func(why, next string) (client.Secret, error) {
		why += said.quote(token)
		return client.Secret{}, exit.Advise(fmt.Errorf("token_command %s: %s", client.Clean(command[0]), why), next)
	}
	switch {
	case caller.Err() != nil:
		return client.Secret{}, context.Cause(caller)
	case printed.cut:
		return fail(
			fmt.Sprintf("it printed more than %d bytes, too long for a token", prompt.MaxSecretBytes),
			"run token_command in a shell to see what it prints",
		)
	case ctx.Err() != nil:
		return fail("it did not end within "+limit.String(), "token_timeout in the account's block allows more")
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return fail("there is no such program", "install it, or correct token_command")
	case errors.Is(err, fs.ErrPermission):
		return fail("it cannot be executed", "chmod +x it, or correct token_command")
	case err != nil:
		return fail(err.Error(), "run token_command in a shell to see what it needs")
	case token.IsZero():
		return fail("it printed nothing", "run token_command in a shell to see what it prints")
	case bytes.ContainsAny(bytes.TrimSpace(out), "\n\r"):
		return fail("it printed several lines", "make it print only the token, as in "+
			`["sh", "-c", "pass show linode | head -n 1"]`)
	}
	return token, nil
}

// TokenWait says what reading the token may wait for, and how long; "" if it takes a moment.
func (s Settings) TokenWait() string {
	if s.TokenOverride.Get != nil || s.TokenFile != "" || len(s.TokenCommand) == 0 {
		return ""
	}
	return fmt.Sprintf("token_command %s, for at most %s", client.Clean(s.TokenCommand[0]), s.tokenTimeout())
}

// tokenTimeout returns how long the token command may take.
func (s Settings) tokenTimeout() time.Duration {
	if d, err := parseTokenTimeout(s.TokenTimeout); err == nil {
		return d
	}
	return defaultTokenTimeout
}

// progressKey is the key of the writer that reports what lookout waits for.
type progressKey struct{}

// WithProgress returns a context in which lookout reports to out that it waits for a token command.
func WithProgress(ctx context.Context, out io.Writer) context.Context {
	return context.WithValue(ctx, progressKey{}, out)
}

// noTerminalKey is the key of a context whose token command gets no terminal.
type noTerminalKey struct{}

// WithoutTerminal returns a context in which a token command cannot ask anything on the terminal, and ends with all its
// children when the context does.
func WithoutTerminal(ctx context.Context) context.Context {
	return context.WithValue(ctx, noTerminalKey{}, true)
}

// ReadsTokenQuietly reports whether reading the token starts no program and asks nobody.
func (s Settings) ReadsTokenQuietly() bool {
	return s.TokenOverride.Get != nil || s.TokenFile != "" ||
		len(s.TokenCommand) == 0 && (s.TokenEnv != "" || !s.Keyring)
}

// waitNotice is how long a token command runs before lookout reports that it waits for it.
const waitNotice = time.Second

// The time limit of a token command. Some open a dialog that somebody must answer.
const (
	defaultTokenTimeout = 10 * time.Second
	maxTokenTimeout     = 5 * time.Minute
)

// parseTokenTimeout parses the time limit of a token command.
func parseTokenTimeout(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Second || d > maxTokenTimeout {
		return 0, fmt.Errorf("%q is not a duration from 1s to 5m, such as \"30s\"", text)
	}
	return d, nil
}

// firstBytes keeps the beginning of what a program writes.
type firstBytes struct {
	text  []byte
	limit int    // in bytes
	full  func() // called when there is more; nil does nothing
	cut   bool   // there was more
}

// maxComplaint is how much of what a token command complains about is kept, in bytes.
const maxComplaint = 300

// Write keeps what still fits.
func (f *firstBytes) Write(p []byte) (int, error) {
	kept := min(len(p), f.limit-len(f.text))
	f.text = append(f.text, p[:kept]...)
	if kept < len(p) && !f.cut {
		f.cut = true
		if f.full != nil {
			f.full()
		}
	}
	return len(p), nil
}

// quote returns what was kept on one line, without the token and whatever looks like one; "" for nothing.
func (f *firstBytes) quote(token client.Secret) string {
	text := strings.Join(strings.Fields(string(f.text)), " ")
	if text == "" {
		return ""
	}
	if !token.IsZero() {
		text = strings.ReplaceAll(text, token.Reveal(), token.String())
	}
	return `; it wrote "` + client.Clean(HideTokens(strings.ToValidUTF8(text, "?"))) + `"`
}

// KeyringService is the service of lookout's tokens in the system's keyring; the user is the account's name.
const KeyringService = "lookout"

// keyringTimeout limits the wait for the keyring, which may open a dialog that nobody answers.
const keyringTimeout = 3 * time.Second

// withKeyringTimeout calls the keyring and waits at most keyringTimeout.
func withKeyringTimeout[T any](ctx context.Context, do func() (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, keyringTimeout)
	defer cancel()
	v, err := prompt.WithContext(ctx, do)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", keyringTimeout)
	}
	return v, err
}

func readKeyringToken(ctx context.Context, account string) (client.Secret, error) {
	text, err := withKeyringTimeout(ctx, func() (string, error) { return keyring.Get(KeyringService, account) })
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return client.Secret{}, exit.Advise(
			fmt.Errorf("keyring: it has no token for %s", account), "lookout accounts token "+account+" adds one",
		)
	case err != nil:
		return client.Secret{}, keyringError(account, err)
	}
	return client.NewSecret(strings.TrimSpace(text)), nil
}

// SaveKeyringToken stores the token of an account in the system's keyring, in place of the one that is there.
func SaveKeyringToken(ctx context.Context, account string, t client.Secret) error {
	_, err := withKeyringTimeout(
		ctx, func() (struct{}, error) { return struct{}{}, keyring.Set(KeyringService, account, t.Reveal()) },
	)
	if err != nil {
		return keyringError(account, err)
	}
	return nil
}

// keyringError returns the error of a keyring that is locked, does not answer or is not there.
func keyringError(account string, err error) error {
	return exit.Advise(
		fmt.Errorf("keyring: it cannot be used (%s)", exit.Text(err)),
		"start or unlock it; lookout accounts token "+account+" --store file needs none",
	)
}

// CopyKeyringToken copies the token of an account to another name, if there is one. It replaces none.
func CopyKeyringToken(ctx context.Context, from, to string) error {
	var texts [2]string
	for i, name := range []string{from, to} {
		var err error
		texts[i], err = withKeyringTimeout(ctx, func() (string, error) { return keyring.Get(KeyringService, name) })
		if err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return fmt.Errorf("keyring: %w", err)
		}
	}
	switch {
	case texts[0] == texts[1]:
		return nil
	case texts[1] != "":
		return exit.Advise(
			fmt.Errorf("keyring: it already has a token for %s, from an earlier account", to),
			"choose another name, or remove that token with the keyring's own program",
		)
	case texts[0] == "":
		return nil
	}
	return SaveKeyringToken(ctx, to, client.NewSecret(texts[0]))
}

// RemoveKeyringToken removes the token of an account from the keyring. Without one it does nothing.
func RemoveKeyringToken(ctx context.Context, account string) error {
	_, err := withKeyringTimeout(
		ctx, func() (struct{}, error) { return struct{}{}, keyring.Delete(KeyringService, account) },
	)
	if err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return fmt.Errorf("keyring: %w", err)
	}
	return nil
}

// readLinodeCLIToken reads a user's token from linode-cli's configuration; "default" is its default user.
func (e Environment) readLinodeCLIToken(user string) (client.Secret, error) {
	sections, err := e.readLinodeCLIConfig()
	if err != nil {
		return client.Secret{}, err
	}
	if user == "default" {
		user = sections["DEFAULT"]["default-user"]
	}
	t := sections[user]["token"]
	if t == "" {
		return client.Secret{}, exit.Advise(
			fmt.Errorf("linode-cli: %s has no token for the user %q", e.linodeCLIPath(), client.Clean(user)),
			"correct linode_cli, or run linode-cli configure",
		)
	}
	return client.NewSecret(t), nil
}

// linodeCLIUsers returns the users with a token in linode-cli's configuration: the default user first, then by name.
// Without a configuration there are none.
func (e Environment) linodeCLIUsers() ([]string, error) {
	if !exists(e.linodeCLIPath()) {
		return nil, nil
	}
	sections, err := e.readLinodeCLIConfig()
	if err != nil {
		return nil, err
	}
	users := slices.DeleteFunc(
		slices.Sorted(maps.Keys(sections)),
		func(user string) bool { return user == "DEFAULT" || sections[user]["token"] == "" },
	)
	first := sections["DEFAULT"]["default-user"]
	if i := slices.Index(users, first); i > 0 {
		users = slices.Insert(slices.Delete(users, i, i+1), 0, first)
	}
	return users, nil
}

// readLinodeCLIConfig returns the sections of linode-cli's configuration: one per user, and DEFAULT. It rejects a file
// that others can read.
func (e Environment) readLinodeCLIConfig() (map[string]map[string]string, error) {
	path := e.linodeCLIPath()
	if !exists(path) {
		return nil, exit.Advise(fmt.Errorf("linode-cli: there is no %s", path), "run linode-cli configure")
	}
	if err := checkPrivateFile("linode-cli", path); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("linode-cli: %w", err)
	}
	return parseINI(bytes.TrimPrefix(data, []byte("\ufeff"))), nil
}

// linodeCLIPath returns the path of linode-cli's configuration.
func (e Environment) linodeCLIPath() string {
	if path := e.Get("LINODE_CLI_CONFIG"); path != "" {
		return expandHome(path)
	}
	path := filepath.Join(xdg.ConfigHome, "linode-cli")
	if _, err := os.Stat(path); err != nil {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, ".config", "linode-cli")
		}
	}
	return path
}

// parseINI parses sections of "name = value".
func parseINI(data []byte) map[string]map[string]string {
	sections, section := map[string]map[string]string{}, "DEFAULT"
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section = strings.Trim(line, "[]")
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") {
			continue
		}
		if sections[section] == nil {
			sections[section] = map[string]string{}
		}
		sections[section][strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return sections
}
