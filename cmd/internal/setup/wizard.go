// Package setup helps to make a first configuration and checks an existing one.
package setup

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"lookout/client"
	"lookout/client/wording"
	"lookout/cmd/internal/config"
	"lookout/cmd/internal/exit"
	"lookout/cmd/internal/output"
	"lookout/cmd/internal/prompt"
)

// A Wizard asks a few questions, tries the answers, and writes a configuration only after a yes. After a no it asks
// what to change, and keeps the other answers. Name, Keys and Taken are for an account that is added to others.
type Wizard struct {
	In         *bufio.Reader
	Out        io.Writer
	ReadHidden func(what string) ([]byte, error)
	ReadShort  func(question string) ([]byte, error) // hides a long answer; nil reads from In
	Flags      *config.Flags
	Path       string   // of the configuration
	Name       string   // "" asks for it
	Keys       string   // further lines of the account's block
	Taken      []string // the names of the other accounts

	accountName string
	account     config.AccountConfig
	tokenLine   string        // "token_file = …"
	pastedToken client.Secret // a token that is not stored yet
	tokenPath   string        // the file for it; "" is the keyring
	token       client.Secret // that was tried
	user        string        // its user; "" is not known

	tokenWay string // the number that was chosen of the ways to a token
	typed    string // the file or the command that was typed for it; it is offered when the question comes again
	storage  string // where a pasted token is kept: "file" or "keyring"
}

// defaultBaseURL is the offered address.
const defaultBaseURL = "https://api.linode.com/v4"

// ErrCancelled says that the user left the wizard.
var ErrCancelled = errors.New("nothing was written")

// NewWizard returns a wizard that asks on the terminal of a command.
func NewWizard(c *cobra.Command, f *config.Flags) *Wizard {
	in, _ := output.AsTerminal(c.InOrStdin())
	path, _ := config.Path(f)
	return &Wizard{
		In:    bufio.NewReader(byteReader{in}),
		Out:   c.ErrOrStderr(),
		Flags: f,
		Path:  path,
		ReadHidden: func(what string) ([]byte, error) {
			return prompt.HiddenLine(c.Context(), in, c.ErrOrStderr(), what)
		},
		ReadShort: func(question string) ([]byte, error) {
			return prompt.ShortLine(c.Context(), in, c.ErrOrStderr(), question)
		},
	}
}

// RunWizard sets up a first account and returns its settings.
func RunWizard(c *cobra.Command, f *config.Flags) (config.Settings, error) {
	w := NewWizard(c, f)
	if err := w.AddAccount(c.Context()); err != nil {
		return config.Settings{}, err
	}
	f.Account = w.accountName
	return config.Load(f, c.ErrOrStderr())
}

// AddAccount runs the questions. Leaving them is an error, too.
func (w *Wizard) AddAccount(ctx context.Context) error {
	err := w.Run(ctx)
	if errors.Is(err, io.EOF) || errors.Is(err, ErrCancelled) {
		return exit.WithCode(exit.CodeFailure, ErrCancelled)
	}
	if err == nil {
		if s, failed := config.LoadAccount(w.Flags, w.accountName); failed == nil {
			if other := s.ReplaceTokenUser(w.token, w.user); other != nil {
				w.printf("\n%s", strings.Join(output.WrapWords(other.Error(), wizardWidth), "\n"))
			}
		}
		w.printf("\nAdded: lookout -a %s opens it, and C switches accounts while lookout runs.", w.accountName)
	}
	return err
}

// AddUnattended adds an account without a question: its token is in a file, which stays where it is, or is given, to be
// stored beside the configuration. It returns what it did.
func (w *Wizard) AddUnattended(
	ctx context.Context, tokenFile string, token client.Secret, untested bool,
) (text string, err error) {
	w.accountName, w.account.BaseURL = w.Name, cmp.Or(w.Flags.BaseURL, defaultBaseURL)
	if err := config.CheckBaseURL(w.account.BaseURL); err != nil {
		return "", exit.Usage(fmt.Errorf("--base-url: %w", err))
	}
	s := config.Settings{Account: w.Name}
	if tokenFile != "" {
		if w.account.TokenFile, err = filepath.Abs(tokenFile); err != nil {
			return "", exit.Usage(fmt.Errorf("--token-file: %w", err))
		}
		w.tokenLine = fmt.Sprintf("token_file = %q", w.account.TokenFile)
		s.AccountConfig = w.account
		if token, err = s.ReadToken(ctx); err != nil {
			return "", exit.Denied(err)
		}
	} else {
		w.pastedToken, w.storage, s.AccountConfig = token, "file", w.account
		if err := w.askTokenStorage(); err != nil { // which storage answers
			return "", err
		}
	}
	_, write, err := w.addBlock()
	if err != nil {
		return "", err
	}
	checked := AccountCheck{Text: "not tested"}
	if !untested {
		if checked = CheckToken(ctx, s, token); checked.Code != exit.CodeOK {
			return "", exit.WithCode(checked.Code, exit.Advise(errors.New(checked.Text), "the account was not added"))
		}
	}
	if err := w.saveToken(ctx); err != nil {
		return "", err
	}
	if err := w.withdrawToken(write()); err != nil {
		return "", err
	}
	result := strings.TrimPrefix(checked.User+", "+checked.Text, ", ")
	text = fmt.Sprintf("account %s is in %s (%s)", w.Name, w.Path, result)
	if s, failed := config.LoadAccount(w.Flags, w.Name); failed == nil {
		if other := s.ReplaceTokenUser(token, checked.User); other != nil {
			text += "; " + other.Error()
		}
	}
	return text, nil
}

// byteReader reads one byte at a time, so that no buffer swallows input meant for the hidden prompt.
type byteReader struct{ io.Reader }

// Read reads one byte.
func (l byteReader) Read(p []byte) (int, error) { return l.Reader.Read(p[:min(1, len(p))]) }

// wizardWidth is the width of the wizard's text, which fits every terminal.
const wizardWidth = 78

func (w *Wizard) printf(format string, args ...any) { fmt.Fprintf(w.Out, format+"\n", args...) }

// ask asks until good accepts the answer. An empty answer is the offered one.
func (w *Wizard) ask(what, offered string, good func(string) error) (string, error) {
	return w.askWith(w.readLine, what, offered, good)
}

// choose is ask for one of a few short answers, such as a number: a token that is pasted here is not shown.
func (w *Wizard) choose(what, offered string, good func(string) error) (string, error) {
	read := w.readLine
	if w.ReadShort != nil {
		read = func(question string) (string, error) {
			line, err := w.ReadShort(question)
			return string(line), err
		}
	}
	return w.askWith(read, what, offered, good)
}

// readLine asks a question and reads a line.
func (w *Wizard) readLine(question string) (string, error) {
	fmt.Fprint(w.Out, question)
	line, err := w.In.ReadString('\n')
	if err != nil {
		fmt.Fprintln(w.Out)
		return "", io.EOF
	}
	return line, nil
}

// askWith asks until good accepts the answer. It takes no answer that looks like a token, and repeats none.
func (w *Wizard) askWith(
	read func(question string) (string, error), what, offered string, good func(string) error,
) (string, error) {
	if offered != "" {
		what += " [" + offered + "]"
	}
	for {
		line, err := read(what + ": ")
		if err != nil {
			return "", err
		}
		answer := cmp.Or(strings.TrimSpace(line), offered)
		if answer != offered && looksLikeToken(answer) {
			w.printf("  this looks like a token and was ignored; choose \"paste it now\", and paste it then")
			continue
		}
		if why := good(answer); why != nil {
			w.printf("  %v", why)
			continue
		}
		return answer, nil
	}
}

// looksLikeToken reports whether an answer is probably a token: long, with digits, and without anything that stands in
// addresses, paths and commands.
func looksLikeToken(answer string) bool {
	return len(answer) >= 24 && strings.ContainsAny(answer, "0123456789") && !strings.ContainsAny(answer, "/.: \\")
}

// Run asks, tries the answers and offers to write them.
func (w *Wizard) Run(ctx context.Context) error {
	if len(w.Taken) == 0 {
		w.printf("No account is configured yet. A few questions set one up. Nothing is written")
		w.printf("before the last question; ctrl+c cancels. Without an account: lookout demo")
	} else {
		w.printf("A few questions add an account. Nothing is written before the last")
		w.printf("question; ctrl+c cancels.\n")
	}
	err := w.askAndTry(
		ctx, w.step(1, "the account"), w.askAddress, w.askName, w.step(2, "its token"), w.askTokenSource,
	)
	if err != nil {
		return err
	}
	return w.confirmAndWrite(ctx)
}

// askAndTry asks questions and tries the answers. After a failed try it repeats only the question at fault.
func (w *Wizard) askAndTry(ctx context.Context, questions ...func() error) error {
	for {
		for _, question := range questions {
			if err := question(); err != nil {
				return err
			}
		}
		err := w.tryToken(ctx)
		switch {
		case err == nil, ctx.Err() != nil:
			return err
		case exit.CodeFor(err) == exit.CodeDenied:
			questions = []func() error{w.askTokenSource}
		default:
			questions = []func() error{w.askAddress}
		}
		w.reportFailure(err)
	}
}

// step returns a function that prints the title of a step, between blank lines that keep the steps apart.
func (w *Wizard) step(n int, title string) func() error {
	return func() error {
		w.printf("\nStep %d of 3: %s\n", n, title)
		return nil
	}
}

// reportFailure prints why a try failed; the question that follows is the next step.
func (w *Wizard) reportFailure(err error) {
	var failure *client.Error
	text := exit.Describe(err)
	if errors.As(err, &failure) && failure.Unauthorized() {
		text = failure.Why()
	}
	w.printf("  %s\n", strings.Join(output.WrapWords(text, wizardWidth-2), "\n  "))
}

// askAddress asks for the address, unless a flag gives it. It asks if that address failed.
func (w *Wizard) askAddress() (err error) {
	if given := w.Flags.BaseURL; given != "" && w.account.BaseURL == "" {
		w.account.BaseURL = given
		if err := config.CheckBaseURL(given); err != nil {
			return exit.Usage(fmt.Errorf("--base-url: %w", err))
		}
		w.printf("API address: %s", client.Clean(given))
		return nil
	}
	offered := cmp.Or(w.account.BaseURL, defaultBaseURL)
	w.account.BaseURL, err = w.ask("API address", offered, config.CheckBaseURL)
	return err
}

func (w *Wizard) askName() (err error) {
	if w.accountName == "" && w.Name != "" {
		w.accountName = w.Name
		return nil
	}
	offered := "main"
	if slices.Contains(w.Taken, offered) {
		offered = ""
	}
	offered = cmp.Or(w.accountName, offered)
	w.accountName, err = w.ask("A name for this account", offered, func(v string) error {
		return CheckNewName(v, w.Taken)
	})
	return err
}

// CheckNewName accepts the name of a new account, beside others.
func CheckNewName(name string, taken []string) error {
	switch {
	case !config.IsAccountName(name):
		return errors.New("use at most 64 letters, digits, dots, - and _")
	case slices.Contains(taken, name):
		return fmt.Errorf("there is an account %s already; choose another name", name)
	}
	return nil
}

// TokenHelp says where a token is created, and which scopes it needs.
func TokenHelp(baseURL string) []string {
	where := "Create a token at your provider."
	if u, err := url.Parse(baseURL); err == nil && u.Hostname() == "api.linode.com" {
		where = "Create a token at https://cloud.linode.com/profile/tokens"
	}
	scopes := listScopes()
	names := make([]string, len(scopes)) // as the provider's page shows them
	for i, scope := range scopes {
		area, _, _ := strings.Cut(scope, ":")
		words := strings.Split(area, "_")
		for j, word := range words {
			words[j] = strings.ToUpper(word[:1]) + word[1:]
		}
		names[i] = strings.Join(words, " ")
	}
	return []string{
		where,
		"Reading needs the scopes " + joinWords(scopes),
		"(" + joinWords(names) + ": Read Only); changes need read_write instead.",
	}
}

// joinWords returns words as a list in a sentence.
func joinWords(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// tokenChoice is one answer to the question where the token is.
type tokenChoice struct {
	text  string
	apply func() error
}

// askTokenSource offers tokens found on this machine first, then the other ways.
func (w *Wizard) askTokenSource() error {
	var ways []tokenChoice
	offers, ignored := w.Flags.Env.FindTokenOffers()
	for _, o := range offers {
		ways = append(ways, tokenChoice{o.Description, func() error { return w.useOffer(o) }})
	}
	ways = append(
		ways, tokenChoice{"paste it now; it is not shown", w.askPastedToken}, tokenChoice{"in a file", w.askTokenFile},
		tokenChoice{"a command prints it, such as a password manager", w.askTokenCommand},
		tokenChoice{"in the system's keyring, under the account's name", w.useKeyring},
	)
	for _, line := range TokenHelp(w.account.BaseURL) {
		w.printf("%s", line)
	}
	if ignored != nil {
		w.printf("%s", strings.Join(output.WrapWords("Not offered: "+exit.Text(ignored), wizardWidth), "\n"))
	}
	w.printf("Where is the token?")
	for i, one := range ways {
		w.printf("  %d  %s", i+1, one.text)
	}
	chosen, err := w.choose("Number", cmp.Or(w.tokenWay, "1"), func(v string) error {
		if n, err := strconv.Atoi(v); err != nil || n < 1 || n > len(ways) {
			return fmt.Errorf("enter a number from 1 to %d", len(ways))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if chosen != w.tokenWay {
		w.tokenWay, w.typed = chosen, ""
	}
	n, _ := strconv.Atoi(chosen)
	base := w.account.BaseURL
	w.account, w.pastedToken = config.AccountConfig{BaseURL: base}, client.Secret{}
	return ways[n-1].apply()
}

// askPastedToken reads a pasted token without showing it. It prints the length, so that a cut token is noticed.
func (w *Wizard) askPastedToken() error {
	for w.pastedToken.IsZero() {
		data, err := w.ReadHidden("Token")
		if err != nil {
			return err
		}
		text := strings.TrimSpace(string(data))
		w.pastedToken = client.NewSecret(text)
		w.printf("  %s", wording.Plural(utf8.RuneCountInString(text), "character", "characters"))
	}
	return nil
}

func (w *Wizard) askTokenFile() (err error) {
	w.typed, err = w.ask("File", w.typed, config.CheckAbsolutePath)
	w.account.TokenFile = w.typed
	w.tokenLine = fmt.Sprintf("token_file = %q", w.account.TokenFile)
	return err
}

func (w *Wizard) askTokenCommand() (err error) {
	w.typed, err = w.ask("Command, such as: pass show linode", w.typed, func(v string) (err error) {
		w.account.TokenCommand, err = splitCommandLine(v)
		if err == nil && len(w.account.TokenCommand) == 0 {
			return errors.New("enter a program and its arguments; it runs without a shell")
		}
		return err
	})
	quoted := make([]string, len(w.account.TokenCommand))
	for i, word := range w.account.TokenCommand {
		quoted[i] = fmt.Sprintf("%q", word)
	}
	w.tokenLine = fmt.Sprintf("token_command = [%s]", strings.Join(quoted, ", "))
	return err
}

// useKeyring uses a token that is in the keyring already.
func (w *Wizard) useKeyring() error {
	w.account.Keyring, w.tokenLine = true, "keyring = true"
	return nil
}

// splitCommandLine splits a command line as shells do: quotes keep words together, and a backslash before a quote, a
// blank or another backslash takes it as it is. Nothing is expanded.
func splitCommandLine(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, begun := byte(0), false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(line) && strings.IndexByte(`"'\ `, line[i+1]) >= 0:
			i++
			word.WriteByte(line[i])
			begun = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, begun = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

func (w *Wizard) useOffer(o config.FoundToken) error {
	w.tokenLine = o.Key + " = " + o.Value
	switch value := strings.Trim(o.Value, `"`); o.Key {
	case "token_env":
		w.account.TokenEnv = value
	case "linode_cli":
		w.account.LinodeCLI = value
	}
	return nil
}

// tryToken sends requests with the token, greets the user and lists what the token allows.
func (w *Wizard) tryToken(ctx context.Context) error {
	t := w.pastedToken
	if t.IsZero() {
		var err error
		if t, err = (config.Settings{AccountConfig: w.account, Account: w.accountName}).ReadToken(ctx); err != nil {
			return exit.Denied(err)
		}
	}
	c, err := config.Settings{AccountConfig: w.account}.NewClient(t, nil)
	if err != nil {
		return exit.Denied(err)
	}
	_, err = c.Services.List(ctx, 1)
	var failure *client.Error
	if errors.As(err, &failure) && !deniedByAPI(failure) {
		return err
	}
	greeting := c.Host() + " responds."
	w.token, w.user = t, ""
	if user, err := c.Profile(ctx); err == nil && !user.Username.IsZero() {
		w.user = user.Username.String()
		greeting = "Welcome, " + w.user + "."
	}
	w.printf("\n%s What this token allows, pane by pane:", greeting)
	panes := readPanes(ctx, c)
	for _, r := range panes {
		w.printf("  %s", r)
	}
	if readNothing(panes) {
		return exit.Denied(exit.Advise(errReadsNothing, "choose a token with the scopes that are missing"))
	}
	return nil
}

// confirmAndWrite shows what it would write, and writes it after a yes. After a no it asks what to change. If the token
// cannot be stored, it asks for another place.
func (w *Wizard) confirmAndWrite(ctx context.Context) error {
	_ = w.step(3, "what will be written")()
	for {
		if err := w.askTokenStorage(); err != nil {
			return err
		}
		text, write, err := w.addBlock()
		yes := false
		if err == nil {
			yes, err = w.confirmWrite(text)
		}
		if err == nil && !yes {
			if err = w.askChange(ctx); err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		err = w.saveToken(ctx)
		switch {
		case err == nil:
			return w.withdrawToken(write())
		case ctx.Err() != nil:
			return err
		}
		w.storage = ""
		w.reportFailure(err)
	}
}

// askChange asks which answer to change, if any, asks for it again and tries it. The other answers stay.
func (w *Wizard) askChange(ctx context.Context) error {
	names := []string{"address", "name", "token"}
	if !w.pastedToken.IsZero() {
		names = append(names, "storage")
	}
	names = append(names, "back", "quit")
	w.printf("Nothing has been written. What do you want to change? The rest is kept.")
	answer, err := w.choose(strings.Join(names, ", "), "back", func(v string) error {
		if !slices.Contains(names, v) {
			return errors.New("enter one of the words above")
		}
		return nil
	})
	question := w.askTokenSource
	switch {
	case err != nil:
		return err
	case answer == "quit":
		return ErrCancelled
	case answer == "back":
		return nil
	case answer == "storage":
		w.storage = ""
		return nil
	case answer == "address":
		question = w.askAddress
	case answer == "name":
		question = w.askName
	}
	return w.askAndTry(ctx, question)
}

// askTokenStorage asks where to store a pasted token, unless that was answered.
func (w *Wizard) askTokenStorage() (err error) {
	if w.pastedToken.IsZero() {
		return nil
	}
	if w.storage == "" {
		w.printf("\nKeep the token in a file that only you can read, or in the system's keyring?")
		w.storage, err = w.choose("file or keyring", "file", func(v string) error {
			if v != "file" && v != "keyring" {
				return errors.New("enter file or keyring")
			}
			return nil
		})
	}
	if w.storage == "keyring" {
		w.tokenPath, w.tokenLine = "", "keyring = true"
		return err
	}
	w.tokenPath = filepath.Join(filepath.Dir(w.Path), w.accountName+".token")
	w.tokenLine = fmt.Sprintf("token_file = %q", w.tokenPath)
	return err
}

// confirmWrite shows what would be written, and reports whether the answer is yes.
func (w *Wizard) confirmWrite(text string) (bool, error) {
	w.printf("\nThis goes to %s (mode 0600):\n\n%s", w.Path, indentText(text))
	if w.tokenPath != "" && !w.pastedToken.IsZero() {
		w.printf("The token goes to %s (mode 0600).", w.tokenPath)
	}
	answer, err := w.choose("Write it? (yes, no)", "no", func(string) error { return nil })
	return answer == "yes" || answer == "y", err
}

func indentText(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n"
}

// addBlock returns the lines to be added to the configuration, and what writes them. The error comes before anything is
// written.
func (w *Wizard) addBlock() (added string, write func() error, err error) {
	before, err := config.ReadText(w.Path)
	if err != nil {
		return "", nil, err
	}
	block := config.AccountBlock(w.accountName, w.account.BaseURL, w.tokenLine) + w.Keys
	after, added, err := config.AddAccount(before, w.accountName, block)
	return added, func() error { return config.Replace(w.Path, before, after) }, err
}

// withdrawToken removes a token that was just stored if the configuration, which names its place, was not written.
func (w *Wizard) withdrawToken(err error) error {
	switch {
	case err == nil || w.pastedToken.IsZero():
		return err
	case w.tokenPath == "":
		return exit.Advise(err, "the token is already in the keyring: run the command again")
	}
	if failed := os.Remove(w.tokenPath); failed != nil {
		return exit.Advise(err, "the token is already in "+w.tokenPath+": remove it, and run the command again")
	}
	return err
}

// saveToken stores a pasted token. It runs before the configuration is written, which names the place.
func (w *Wizard) saveToken(ctx context.Context) error {
	switch {
	case w.pastedToken.IsZero():
	case w.tokenPath == "":
		return config.SaveKeyringToken(ctx, w.accountName, w.pastedToken)
	default:
		if err := config.WritePrivateFile(w.tokenPath, w.pastedToken.Reveal()+"\n"); err != nil {
			return fmt.Errorf("token file: %w; remove it or choose another place", err)
		}
	}
	return nil
}
