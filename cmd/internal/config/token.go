package config

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
	"lookout/cmd/internal/prompt"
)

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
		return envTokenSource(f.TokenEnv, f.savedTokens)
	case os.Getenv("LOOKOUT_TOKEN") != "":
		return envTokenSource("LOOKOUT_TOKEN", f.savedTokens)
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
		return envTokenSource(s.TokenEnv, s.savedTokens)
	case s.Keyring:
		return tokenSource{
			"the system's keyring",
			func(ctx context.Context) (client.Secret, error) { return readKeyringToken(ctx, s.Account) },
		}
	case s.LinodeCLI != "":
		return tokenSource{
			"linode-cli, user " + s.LinodeCLI,
			func(context.Context) (client.Secret, error) { return readLinodeCLIToken(s.LinodeCLI) },
		}
	}
	return tokenSource{
		"nowhere",
		func(context.Context) (client.Secret, error) { return client.Secret{}, noTokenError() },
	}
}

// ReadToken reads the account's token.
func (s Settings) ReadToken(ctx context.Context) (client.Secret, error) {
	return s.TokenSource().Get(ctx)
}

// noTokenError says where a token can come from, and names the tokens found on this machine.
func noTokenError() error {
	text := "there is no token: set LOOKOUT_TOKEN, give --token-file, or name its place in the account's block " +
		"(lookout config schema lists the ways)"
	for _, o := range FindTokenOffers() {
		text += "; " + o.hint
	}
	return errors.New(text)
}

// A TokenOffer is a token of the provider's own tools, found on this machine.
type TokenOffer struct{ Key, Value, Description, hint string }

// FindTokenOffers returns the tokens found on this machine. None is used unless the user says so.
func FindTokenOffers() []TokenOffer {
	var found []TokenOffer
	if os.Getenv("LINODE_TOKEN") != "" {
		found = append(
			found,
			TokenOffer{
				"token_env", `"LINODE_TOKEN"`, "in LINODE_TOKEN, which is set here; it is not copied",
				"LINODE_TOKEN is set: --token-env LINODE_TOKEN uses it",
			},
		)
	}
	for _, user := range linodeCLIUsers() {
		found = append(
			found,
			TokenOffer{
				"linode_cli",
				fmt.Sprintf("%q", user),
				fmt.Sprintf("linode-cli's, of its user %s; it is not copied", client.Clean(user)),
				fmt.Sprintf("linode-cli has one: linode_cli = %q in the account's block uses it", user),
			},
		)
	}
	return found
}

// envTokenSource reads the token from a variable, or from what was saved before it was unset.
func envTokenSource(name string, kept map[string]client.Secret) tokenSource {
	return tokenSource{"$" + name, func(context.Context) (client.Secret, error) {
		if t := kept[name]; !t.IsZero() {
			return t, nil
		}
		if t := strings.TrimSpace(os.Getenv(name)); t != "" {
			return client.NewSecret(t), nil
		}
		return client.Secret{}, fmt.Errorf(
			"the environment variable %s is empty: set it to the token", client.Clean(name),
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
		return fmt.Errorf("%s: %w", what, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: %s is not a regular file", what, path)
	case ownedByOther(info):
		return fmt.Errorf("%s: %s belongs to another user; use a file of your own", what, path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s: others can read it (mode %04o); run chmod 600 %s first", what, info.Mode().Perm(), path)
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
		return fmt.Errorf(
			"%s: anybody can change %s (mode %04o); run chmod o-w %[2]s first", what, path, info.Mode().Perm(),
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
		return client.Secret{}, fmt.Errorf(
			"token file: %s is longer than %d bytes, too long for a token", path, prompt.MaxSecretBytes,
		)
	case len(bytes.TrimSpace(data)) == 0:
		return client.Secret{}, fmt.Errorf("token file: %s is empty", path)
	}
	return client.NewSecret(string(bytes.TrimSpace(data))), nil
}

// runTokenCommand reads the token from a program's output. The program gets no token of an account, but keeps the
// variables that it needs itself: VAULT_TOKEN.
func (s Settings) runTokenCommand(ctx context.Context) (client.Secret, error) {
	command := s.TokenCommand
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = time.Second
	cmd.Env = EnvironWithout(append(builtInTokenVariables(), s.tokenNames...))
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return client.Secret{}, fmt.Errorf("token_command %s: it did not end within 10 s", command[0])
	case err != nil:
		return client.Secret{}, fmt.Errorf("token_command %s: %w", command[0], err)
	case len(bytes.TrimSpace(out)) == 0:
		return client.Secret{}, fmt.Errorf("token_command %s: it printed nothing", command[0])
	}
	return client.NewSecret(string(bytes.TrimSpace(out))), nil
}

// KeyringService is the service of lookout's tokens in the system's keyring; the user is the account's name.
const KeyringService = "lookout"

// keyringTimeout limits the wait for the keyring, which may open a dialog that nobody answers.
const keyringTimeout = 3 * time.Second

// WithKeyringTimeout calls the keyring and waits at most keyringTimeout.
func WithKeyringTimeout[T any](ctx context.Context, do func() (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, keyringTimeout)
	defer cancel()
	v, err := prompt.WithContext(ctx, do)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", keyringTimeout)
	}
	return v, err
}

func readKeyringToken(ctx context.Context, account string) (client.Secret, error) {
	text, err := WithKeyringTimeout(ctx, func() (string, error) { return keyring.Get(KeyringService, account) })
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return client.Secret{}, fmt.Errorf(
			"keyring: it has no token for %s; lookout config token -a %s adds one", account, account,
		)
	case err != nil:
		return client.Secret{}, fmt.Errorf("keyring: %w; token_command or token_file work without one", err)
	}
	return client.NewSecret(strings.TrimSpace(text)), nil
}

func SaveKeyringToken(ctx context.Context, account string, t client.Secret) error {
	_, err := WithKeyringTimeout(
		ctx, func() (struct{}, error) { return struct{}{}, keyring.Set(KeyringService, account, t.Reveal()) },
	)
	if err != nil {
		return fmt.Errorf("keyring: %w; token_command or token_file work without one", err)
	}
	return nil
}

// readLinodeCLIToken reads a user's token from linode-cli's configuration; "default" is its default user.
func readLinodeCLIToken(user string) (client.Secret, error) {
	sections, err := readLinodeCLIConfig()
	if err != nil {
		return client.Secret{}, err
	}
	if user == "default" {
		user = sections["DEFAULT"]["default-user"]
	}
	t := sections[user]["token"]
	if t == "" {
		return client.Secret{}, fmt.Errorf(
			"linode-cli: %s has no token for the user %q", linodeCLIPath(), client.Clean(user),
		)
	}
	return client.NewSecret(t), nil
}

// linodeCLIUsers returns the users with a token in linode-cli's configuration: the default user first, then by name.
// It returns none if the configuration cannot be read.
func linodeCLIUsers() []string {
	sections, err := readLinodeCLIConfig()
	if err != nil {
		return nil
	}
	users := slices.DeleteFunc(
		slices.Sorted(maps.Keys(sections)),
		func(user string) bool { return user == "DEFAULT" || sections[user]["token"] == "" },
	)
	first := sections["DEFAULT"]["default-user"]
	if i := slices.Index(users, first); i > 0 {
		users = slices.Insert(slices.Delete(users, i, i+1), 0, first)
	}
	return users
}

// readLinodeCLIConfig returns the sections of linode-cli's configuration: one per user, and DEFAULT. It rejects a file
// that others can read.
func readLinodeCLIConfig() (map[string]map[string]string, error) {
	path := linodeCLIPath()
	if err := checkPrivateFile("linode-cli", path); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("linode-cli: %w", err)
	}
	return parseINI(data), nil
}

// linodeCLIPath returns the path of linode-cli's configuration.
func linodeCLIPath() string {
	if path := os.Getenv("LINODE_CLI_CONFIG"); path != "" {
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
