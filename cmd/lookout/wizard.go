package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lookout/client"
)

// A wizard asks a few questions, tries what it was told, and writes a configuration only after a yes.
type wizard struct {
	in     *bufio.Reader
	out    io.Writer
	hidden func(what string) ([]byte, error)
	flags  *flags
	path   string // of the configuration

	name   string
	block  accountBlock
	line   string        // "token_file = …"
	pasted client.Secret // a token that has no place yet
	keep   string        // the file that it goes to; empty is the keyring
}

// providerBase is the address that is offered.
const providerBase = "https://api.linode.com/v4"

// errLeft is a wizard that was left: nothing was written.
var errLeft = errors.New("nothing was written")

// firstRun helps somebody who has no configuration yet.
func firstRun(c *cobra.Command, f *flags) (settings, error) {
	in, _ := terminalOf(c.InOrStdin())
	path, _ := configPath(f)
	w := &wizard{in: bufio.NewReader(lineByLine{in}), out: c.ErrOrStderr(), flags: f, path: path,
		hidden: func(what string) ([]byte, error) { return hidden(c.Context(), in, c.ErrOrStderr(), what) }}
	if err := w.run(c.Context()); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, errLeft) {
			return settings{}, &exit{exitError, errLeft}
		}
		return settings{}, err
	}
	f.account = w.name
	return load(f, c.ErrOrStderr())
}

// lineByLine hands out one byte at a time, so that nothing typed ahead is kept from a prompt that reads by itself.
type lineByLine struct{ io.Reader }

// Read reads one byte.
func (l lineByLine) Read(p []byte) (int, error) { return l.Reader.Read(p[:min(1, len(p))]) }

// wizardWidth is how wide what is told may be: every terminal shows it without breaking words.
const wizardWidth = 78

func (w *wizard) say(format string, args ...any) { fmt.Fprintf(w.out, format+"\n", args...) }

// ask reads an answer; an empty one is what is offered. It is asked again until good takes it.
func (w *wizard) ask(what, offered string, good func(string) error) (string, error) {
	for {
		text := what
		if offered != "" {
			text += " [" + offered + "]"
		}
		fmt.Fprint(w.out, text+": ")
		line, err := w.in.ReadString('\n')
		if err != nil {
			fmt.Fprintln(w.out)
			return "", io.EOF
		}
		answer := orElse(strings.TrimSpace(line), offered)
		if why := good(answer); why != nil {
			w.say("  %v", why)
			continue
		}
		return answer, nil
	}
}

// run asks, tries and offers to write. What a trial finds wrong is asked for again; the other answers stay.
func (w *wizard) run(ctx context.Context) error {
	w.say("No account is configured yet. A few questions make one. Nothing is written")
	w.say("before the last of them, and ctrl+c leaves. Without an account: lookout demo\n")
	questions := []func() error{w.address, w.nameIt, w.whereIsTheToken}
	for {
		for _, question := range questions {
			if err := question(); err != nil {
				return err
			}
		}
		err := w.try(ctx)
		switch {
		case err == nil:
			return w.offer(ctx)
		case ctx.Err() != nil:
			return err
		case codeOf(err) == exitDenied:
			questions = []func() error{w.whereIsTheToken}
		default:
			questions = []func() error{w.address}
		}
		w.complain(err)
	}
}

// complain tells what came of a trial; what to do next is the question that follows.
func (w *wizard) complain(err error) {
	var failure *client.Error
	text := told(err)
	if errors.As(err, &failure) && failure.Unauthorized() {
		text = failure.Why()
	}
	w.say("  %s\n", strings.Join(folded(text, wizardWidth-2), "\n  "))
}

func (w *wizard) address() (err error) {
	w.block.BaseURL, err = w.ask("Address of the API", orElse(w.block.BaseURL, providerBase), baseURL)
	return err
}

func (w *wizard) nameIt() (err error) {
	w.name, err = w.ask("A name for this account", "main", func(v string) error {
		if !isAccountName(v) {
			return errors.New("letters, digits, dots, - and _ make a name")
		}
		return nil
	})
	return err
}

// way is one answer to where the token is.
type way struct {
	text string
	take func() error
}

// whereIsTheToken offers what lies at hand first, then the ways that ask for more.
func (w *wizard) whereIsTheToken() error {
	var ways []way
	for _, o := range offers() {
		ways = append(ways, way{o.about, func() error { return w.use(o) }})
	}
	ways = append(ways, way{"I paste it now; it is not shown", w.paste}, way{"in a file", w.file}, way{"a command prints it, as a password manager's", w.command},
		way{"in the system's keyring, beneath the account's name", w.inKeyring})
	w.say("Where is the token? To read, it needs the scopes account:read_only and")
	w.say("object_storage:read_only; to change things, read_write in their place.")
	for i, one := range ways {
		w.say("  %d  %s", i+1, one.text)
	}
	chosen, err := w.ask("Number", "1", func(v string) error {
		if n, err := strconv.Atoi(v); err != nil || n < 1 || n > len(ways) {
			return fmt.Errorf("a number from 1 to %d is needed", len(ways))
		}
		return nil
	})
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(chosen)
	base := w.block.BaseURL
	w.block, w.pasted = accountBlock{BaseURL: base}, client.Secret{}
	return ways[n-1].take()
}

// paste takes a token that is typed or pasted unseen; its length is told, so that half of one is noticed.
func (w *wizard) paste() error {
	for w.pasted.IsZero() {
		data, err := w.hidden("Token")
		if err != nil {
			return err
		}
		text := strings.TrimSpace(string(data))
		w.pasted = client.NewSecret(text)
		w.say("  %d characters", len(text))
	}
	return nil
}

func (w *wizard) file() (err error) {
	w.block.TokenFile, err = w.ask("File", "", absolute)
	w.line = fmt.Sprintf("token_file = %q", w.block.TokenFile)
	return err
}

func (w *wizard) command() error {
	_, err := w.ask("Command, as: pass show linode", "", func(v string) (err error) {
		w.block.TokenCommand, err = wordsOf(v)
		if err == nil && len(w.block.TokenCommand) == 0 {
			return errors.New("a program and its arguments are needed; no shell reads them")
		}
		return err
	})
	quoted := make([]string, len(w.block.TokenCommand))
	for i, word := range w.block.TokenCommand {
		quoted[i] = fmt.Sprintf("%q", word)
	}
	w.line = fmt.Sprintf("token_command = [%s]", strings.Join(quoted, ", "))
	return err
}

// inKeyring uses a token that an earlier configuration left there.
func (w *wizard) inKeyring() error {
	w.block.Keyring, w.line = true, "keyring = true"
	return nil
}

// wordsOf splits a command line as shells do: quotes keep words together, and a backslash before a quote, a blank or another backslash takes it as it is.
// Nothing is expanded.
func wordsOf(line string) ([]string, error) {
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

func (w *wizard) use(o offer) error {
	w.line = o.key + " = " + o.value
	switch value := strings.Trim(o.value, `"`); o.key {
	case "token_env":
		w.block.TokenEnv = value
	case "linode_cli":
		w.block.LinodeCLI = value
	}
	return nil
}

// try asks the API with the token, greets, and says what the token allows.
func (w *wizard) try(ctx context.Context) error {
	t := w.pasted
	if t.IsZero() {
		var err error
		if t, err = (settings{accountBlock: w.block, Account: w.name}).token(ctx); err != nil {
			return denied(err)
		}
	}
	c, err := settings{accountBlock: w.block}.client(t, nil)
	if err != nil {
		return denied(err)
	}
	_, err = c.Services.List(ctx, 1)
	var failure *client.Error
	if errors.As(err, &failure) && !closed(failure) {
		return err
	}
	greeting := c.Host() + " answers."
	if user, err := c.Profile(ctx); err == nil && !user.Username.IsZero() {
		greeting = "Welcome, " + user.Username.String() + "."
	}
	w.say("\n%s What this token allows, pane by pane:", greeting)
	for _, r := range reachOf(orElse(c.Scopes(), "*"), failure) {
		w.say("  %s", r)
	}
	return nil
}

// offer shows what would be written, and writes after a yes. Where the token cannot be kept, it is asked again where to: nothing is typed twice.
func (w *wizard) offer(ctx context.Context) error {
	for {
		if err := w.whereToKeep(); err != nil {
			return err
		}
		text := fmt.Sprintf("[accounts.%s]\nbase_url = %q\n%s\n", tomlKey(w.name), w.block.BaseURL, w.line)
		if err := w.agree(text); err != nil {
			return err
		}
		err := w.keepToken(ctx)
		switch {
		case err == nil:
			return w.write(text)
		case ctx.Err() != nil:
			return err
		}
		w.complain(err)
	}
}

// whereToKeep asks where a pasted token goes.
func (w *wizard) whereToKeep() error {
	if w.pasted.IsZero() {
		return nil
	}
	w.say("\nKeep the token in a file of yours alone, or in the system's keyring?")
	answer, err := w.ask("file or keyring", "file", func(v string) error {
		if v != "file" && v != "keyring" {
			return errors.New("file or keyring is needed")
		}
		return nil
	})
	if answer == "keyring" {
		w.keep, w.line = "", "keyring = true"
		return err
	}
	w.keep = filepath.Join(filepath.Dir(w.path), w.name+".token")
	w.line = fmt.Sprintf("token_file = %q", w.keep)
	return err
}

// agree shows what would be written; anything but a yes leaves.
func (w *wizard) agree(text string) error {
	w.say("\nThis goes to %s (mode 0600):\n\n%s", w.path, indented(text))
	if w.keep != "" && !w.pasted.IsZero() {
		w.say("The token goes to %s (mode 0600).", w.keep)
	}
	answer, err := w.ask("Write it? (yes, no)", "no", func(string) error { return nil })
	if err == nil && answer != "yes" && answer != "y" {
		return errLeft
	}
	return err
}

// tomlKey quotes a name that would be read as two.
func tomlKey(name string) string {
	if strings.Contains(name, ".") {
		return strconv.Quote(name)
	}
	return name
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n"
}

// keepToken puts a pasted token where it was said, before the configuration: that must not name one that is not there.
func (w *wizard) keepToken(ctx context.Context) error {
	switch {
	case w.pasted.IsZero():
	case w.keep == "":
		return toKeyring(ctx, w.name, w.pasted)
	default:
		if err := writeOwn(w.keep, w.pasted.Reveal()+"\n"); err != nil {
			return fmt.Errorf("token file: %w; remove it, or choose another place", err)
		}
	}
	return nil
}

// write adds the account to the configuration, or begins one.
func (w *wizard) write(text string) error {
	_, err := os.Stat(w.path)
	if errors.Is(err, fs.ErrNotExist) {
		return newConfig(w.path, text)
	}
	file, err := os.OpenFile(w.path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	_, err = file.WriteString("\n" + text)
	return errors.Join(err, file.Close())
}
