package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/zalando/go-keyring"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/setup"
	"lookout/cmd/internal/testenv"
)

// exampleLinodeCLIConfig is a configuration of linode-cli with two users that have a token.
const exampleLinodeCLIConfig = "[DEFAULT]\ndefault-user = ops\n\n[bob]\ntoken = " + testenv.Canary + "\n\n[none]\n" +
	"region = " +
	"us-east\n\n[ops]\ntoken = other\n"

// Each user of linode-cli is offered, the default one first.
func TestFirstRunOffersEveryUserOfLinodeCLI(t *testing.T) {
	faulttest.ReportCase(t, "F3", "first run, several users of linode-cli")
	r := newSerialEnv(t, emulator.Options{})
	r.Write(filepath.Join(r.Home, "linode-cli"), exampleLinodeCLIConfig)
	w, out := newTestWizard(r, testenv.Canary, r.Base, "", "2", "yes")
	if err := w.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := out.String()
	if !strings.Contains(text, "1  linode-cli's, of its user ops") ||
		!strings.Contains(text, "2  linode-cli's, of its user bob") ||
		strings.Contains(text, "user none") {
		t.Errorf("%s", text)
	}
	if kept := r.ReadTree(filepath.Join(r.Home, "config")); !strings.Contains(kept, `linode_cli = "bob"`) {
		t.Errorf("%s", kept)
	}
	t.Setenv("LOOKOUT_TOKEN", "")
	t.Setenv("LOOKOUT_BASE_URL", "")
	r.MustRun("services", "list")
}

// If the keyring does not work, or the token file cannot be created, the wizard asks again where to keep the token, and
// keeps the answers so far.
func TestFirstRunKeepsItsAnswersWhereTheTokenCannotBeKept(t *testing.T) {
	faulttest.ReportCase(t, "F3", "first run, a keyring that does not work")
	r := newSerialEnv(t, emulator.Options{})
	keyring.MockInitWithError(errors.New("dbus-launch is not there"))
	taken := filepath.Join(r.Home, "config", "lookout", "prod.token")
	w, out := newTestWizard(r, testenv.Canary, r.Base, "prod", "1", "keyring", "yes", "file", "yes")
	if err := w.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if text := out.String(); !strings.Contains(text, "dbus-launch") || strings.Count(text, "Where is the token") != 1 ||
		strings.Count(text, "file or keyring [file]") != 2 {
		t.Errorf("%s", text)
	}
	if kept := r.ReadTree(filepath.Join(r.Home, "config")); !strings.Contains(kept, "token_file") ||
		strings.Contains(kept, "keyring") {
		t.Errorf("%s", kept)
	}
	if data, err := os.ReadFile(taken); err != nil || strings.TrimSpace(string(data)) != testenv.Canary {
		t.Errorf("%v", err)
	}
	t.Setenv("LOOKOUT_TOKEN", "")
	t.Setenv("LOOKOUT_BASE_URL", "")
	r.MustRun("services", "list")

	r = newSerialEnv(t, emulator.Options{})
	r.Write(filepath.Join(r.Home, "config", "lookout", "prod.token"), "an older one\n")
	w, out = newTestWizard(r, testenv.Canary, r.Base, "prod", "1", "file", "yes", "keyring", "yes")
	if err := w.Run(t.Context()); err != nil || !strings.Contains(out.String(), "remove it") {
		t.Fatalf("%v\n%s", err, out)
	}
	if kept := r.ReadTree(filepath.Join(r.Home, "config")); !strings.Contains(kept, "keyring = true") ||
		!strings.Contains(kept, "an older one") {
		t.Errorf("%s", kept)
	}
}

// A token that is already in the keyring is used from there. If it is not there, the wizard asks again.
func TestFirstRunUsesTheKeyring(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	w, out := newTestWizard(r, testenv.Canary, r.Base, "prod", "4", "1", "file", "no", "quit")
	if err := w.Run(t.Context()); !errors.Is(err, setup.ErrCancelled) ||
		!strings.Contains(out.String(), "it has no token for prod") {
		t.Errorf("%v\n%s", err, out)
	}
	if err := keyring.Set(config.KeyringService, "prod", testenv.Canary); err != nil {
		t.Fatal(err)
	}
	w, out = newTestWizard(r, "", r.Base, "prod", "4", "yes")
	if err := w.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("LOOKOUT_TOKEN", "")
	t.Setenv("LOOKOUT_BASE_URL", "")
	r.MustRun("services", "list")
}

// Quotes keep the words of an argument together.
func TestFirstRunTakesQuotedCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	r := newSerialEnv(t, emulator.Options{})
	w, out := newTestWizard(
		r, testenv.Canary, r.Base, "prod", "3", `sh -c "echo`, `sh -c "echo `+testenv.Canary+`"`, "yes",
	)
	if err := w.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(out.String(), `the quote " is not closed`) {
		t.Errorf("%s", out)
	}
	t.Setenv("LOOKOUT_TOKEN", "")
	t.Setenv("LOOKOUT_BASE_URL", "")
	r.MustRun("services", "list")
}

// An outputHook calls a function before anything is written that contains a text.
type outputHook struct {
	out  io.Writer
	text string
	run  func()
}

func (h outputHook) Write(p []byte) (int, error) {
	if strings.Contains(string(p), h.text) {
		h.run()
	}
	return h.out.Write(p)
}

// If another program writes the configuration while the wizard asks, nothing of it is changed, and no token stays
// behind: the same answers work again.
func TestFirstRunLeavesNoTokenIfItCannotWrite(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	t.Setenv("LOOKOUT_TOKEN", "")
	t.Setenv("LOOKOUT_BASE_URL", "")
	answers := []string{r.Base, "prod", "1", "file", "yes"}
	w, out := newTestWizard(r, testenv.Canary, answers...)
	w.Out = outputHook{out, "Write it?", func() { r.Write(w.Path, "# by another program\n") }}
	if err := w.Run(t.Context()); err == nil {
		t.Fatalf("no error:\n%s", out)
	}
	if kept := r.ReadTree(filepath.Join(r.Home, "config")); strings.Contains(kept, testenv.Canary) ||
		!strings.Contains(kept, "by another program") || strings.Contains(kept, "accounts.prod") {
		t.Errorf("%s", kept)
	}
	if w, out = newTestWizard(r, testenv.Canary, answers...); w.Run(t.Context()) != nil {
		t.Errorf("the second time:\n%s", out)
	}
}

// A token that is pasted too early is neither taken for an answer nor repeated, whatever the question.
func TestFirstRunIgnoresATokenThatIsPastedTooEarly(t *testing.T) {
	const pasted = "4f6e0c7fa1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c"
	r := newSerialEnv(t, emulator.Options{})
	w, out := newTestWizard(
		r, testenv.Canary, pasted, r.Base, pasted, "prod", pasted, "1", pasted, "file", pasted, "yes",
	)
	if err := w.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := strings.Count(out.String(), "looks like a token and was ignored"); n != 5 {
		t.Errorf("%d of 5 are ignored:\n%s", n, out)
	}
	if strings.Contains(out.String()+r.ReadTree(filepath.Join(r.Home, "config")), pasted) {
		t.Errorf("the token is repeated:\n%s", out)
	}
}

// If nothing listens at an address, a script says so after some attempts, and the first run asks for the address again,
// whether it was typed or given by --base-url. Its questions come in three steps with titles, and a question that is
// asked again does not begin a step again. All of them wait for their attempts at the same time.
func TestAddressWithoutAServer(t *testing.T) {
	t.Parallel()
	const nowhere = "http://127.0.0.1:1/v4"
	r := newTestEnv(t, emulator.Options{})
	typed, typedOut := newTestWizard(r, testenv.Canary, nowhere, "prod", "1", r.Base, "file", "yes")
	given, givenOut := newTestWizard(r, testenv.Canary, "prod", "1", r.Base, "file", "yes")
	given.Flags.BaseURL = nowhere
	given.Path = filepath.Join(r.Home, "given", "config.toml")
	var typedErr, givenErr error
	var wizards sync.WaitGroup
	wizards.Go(func() { typedErr = typed.Run(t.Context()) })
	wizards.Go(func() { givenErr = given.Run(t.Context()) })
	listing := r.Run("services", "list", "--base-url", nowhere)
	wizards.Wait()
	r.CheckResult(listing, exit.CodeUnavailable, "127.0.0.1:1")
	if typedErr != nil || givenErr != nil {
		t.Fatalf("%v, %v\n%s\n%s", typedErr, givenErr, typedOut, givenOut)
	}
	for _, out := range []*bytes.Buffer{typedOut, givenOut} {
		text, last := out.String(), 0
		for _, want := range []string{
			"\nStep 1 of 3: the account\n", "API address", "\nStep 2 of 3: its token\n", "Where is the token?",
			"API address [" + nowhere, "\nStep 3 of 3: what will be written\n", "Write it?",
		} {
			at := strings.Index(text, want)
			if at < last || strings.HasPrefix(want, "\nStep") && strings.Count(text, want) != 1 {
				t.Errorf("%q is not in its place:\n%s", want, text)
			}
			last = at
		}
	}
}

// The address that --base-url gives is not asked for again if it answers.
func TestFirstRunTakesTheAddressOfTheFlag(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	w, out := newTestWizard(r, testenv.Canary, "prod", "1", "file", "yes")
	w.Flags.BaseURL = r.Base
	if err := w.Run(t.Context()); err != nil || strings.Contains(out.String(), "API address [") ||
		!strings.Contains(out.String(), "API address: "+r.Base) {
		t.Fatalf("%v\n%s", err, out)
	}
	if kept := r.ReadTree(filepath.Join(r.Home, "config")); !strings.Contains(kept, r.Base) {
		t.Error(kept)
	}
	w, _ = newTestWizard(r, testenv.Canary)
	w.Flags.BaseURL = "nonsense"
	if err := w.Run(t.Context()); exit.CodeFor(err) != exit.CodeUsage {
		t.Error(err)
	}
}

// After a no, one answer can be changed, and everything else that was typed is kept: nothing else is asked twice, and
// what is asked again offers what was typed before.
func TestFirstRunKeepsTheAnswersAfterANo(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	tokens := 0
	w, out := newTestWizard(
		r, testenv.Canary, r.Base, "prod", "1", "file", "no", "everything", "name", "staging", "no", "address", "",
		"no", "back", "no", "", "no", "storage", "keyring", "yes",
	)
	w.ReadHidden = func(string) ([]byte, error) {
		tokens++
		return []byte(testenv.Canary), nil
	}
	if err := w.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	kept := r.ReadTree(filepath.Join(r.Home, "config"))
	for _, part := range []string{"[accounts.staging]", "keyring = true", r.Base} {
		if !strings.Contains(kept, part) {
			t.Errorf("%s is not kept:\n%s", part, kept)
		}
	}
	for _, part := range []string{
		"A name for this account [prod]", "API address [" + r.Base + "]",
		"enter one of the words above",
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%s is not said:\n%s", part, out)
		}
	}
	if strings.Count(out.String(), "file or keyring [") != 2 {
		t.Errorf("the storage is not asked for twice:\n%s", out)
	}
	if tokens != 1 || strings.Contains(kept, "prod") {
		t.Errorf("the token was asked for %d times, and this was written:\n%s", tokens, kept)
	}
}

// A path or a command that does not give a token is offered again, so that a slip is corrected and not typed again.
func TestFirstRunOffersATypedPathAgain(t *testing.T) {
	r := newSerialEnv(t, emulator.Options{})
	path := filepath.Join(r.Home, "token")
	w, out := newTestWizard(r, "", r.Base, "prod", "2", path, "", "", "yes")
	w.Out = outputHook{out, "correct its path", func() { r.Write(path, testenv.Canary+"\n") }}
	if err := w.Run(t.Context()); err != nil || !strings.Contains(out.String(), "File ["+path+"]") {
		t.Errorf("%v\n%s", err, out)
	}
}

// The wizard says why it does not offer the token of linode-cli, and counts a single character right.
func TestFirstRun_saysWhatItDoesNotOffer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode")
	}
	r := newSerialEnv(t, emulator.Options{})
	file := filepath.Join(r.Home, "linode-cli")
	r.Write(file, exampleLinodeCLIConfig)
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	w, out := newTestWizard(r, "x", r.Base, "prod", "1")
	_ = w.Run(t.Context())
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"Not offered: linode-cli: others can read it (mode 0644); run chmod 600 " + file + " first", "1 character ",
	} {
		if !strings.Contains(text+" ", want) {
			t.Errorf("%q is not said in:\n%s", want, out)
		}
	}
	r.Setenv("LOOKOUT_TOKEN", "")
	r.CheckResult(r.Run("services", "list"), exit.CodeDenied, "there is no token", "others can read it (mode 0644)")
}
