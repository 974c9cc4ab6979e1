package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lookout/client/emulator"
	"lookout/client/faulttest"
	"lookout/cmd/internal/testenv"
)

// A session is what somebody types into a shell, and what is printed. The files testdata/*.session hold cases, each
// with an account and a home folder of its own:
//
//	== A heading that begins a case; with "A26 told by scripts: " before it, it is reported for that row
//	# A comment.
//	$ lookout services delete edge-router   A command line; quotes, $HOME, $BASE and ID=$(…) work as in a shell.
//	[2] edge-router ... add --yes           The exit code, unless it is 0, and what is printed, in this order, with
//	                                        anything before, after and in place of "...".
//	- is deleted                            This is not printed.
//	= []                                    All that is printed on standard output.
//	> DELETE /managed/services/9            The changes that the account gets, if one is given: method, path and body;
//	> nothing                               or that it gets none.
//	$ fault enable service status=502       The API fails from now on, as with lookout emulate --fault.
//	$ fault                                 It no longer does.
//	$ export NAME=VALUE                     A variable for the commands that follow; it is in $NAME, too.
//	$ echo TEXT > FILE                      \n is a line break.
//	$ echo TEXT | lookout ...
//	$ cat PATTERN                           The contents of the files that match.
//	$ certificate HOST                      Makes cert.pem and key.pem for a host in the folder $CERTIFICATE.
//
// How many spaces and line breaks stand between two printed words does not matter.
type session struct {
	*testEnv
	variables map[string]string
	result    testenv.CommandResult // of the last command line; the exit code is 0 once it was expected
	rest      string                // what it prints after what was expected
	sent      []string              // its changes that no line has expected yet
	compares  bool                  // its changes are expected
}

func TestSessions(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.session")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		number, whole := 0, strings.ReplaceAll(readText(t, path), "\r\n", "\n") // as git may check it out
		for i, text := range strings.Split("\n"+whole, "\n== ") {
			lines, first := strings.Split(text, "\n"), number
			if number += len(lines); i == 0 {
				continue
			}
			t.Run(filepath.Base(path)+"/"+lines[0], func(t *testing.T) {
				t.Parallel()
				if row := reliabilityRow.FindStringSubmatch(lines[0]); row != nil {
					faulttest.ReportCase(t, row[1], row[2])
				}
				s := &session{testEnv: newTestEnv(t, emulator.Options{})}
				s.variables = map[string]string{"HOME": s.Home, "BASE": s.Base}
				for i, line := range append(lines[1:], "$ echo") { // which looks at what is left
					if err := s.runLine(line); err != nil {
						t.Fatalf("%s:%d: %s\n%v\n%s%s", path, first+i+1, line, err, s.result.Out, s.result.Err)
					}
				}
			})
		}
	}
}

var (
	reliabilityRow = regexp.MustCompile(`^([A-Z]\d+) ([^:]*): `)

	assignment = regexp.MustCompile(`^(\w+)=\$\((.*)\)$`)
	exitStatus = regexp.MustCompile(`^\[(\d+)\] ?`)
	quoted     = regexp.MustCompile(`'([^']*)'|"([^"]*)"`)
	shellWord  = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`)
)

// fold returns a text with one space in place of all spaces and line breaks in a row.
func fold(text string) string { return strings.Join(strings.Fields(text), " ") }

// unescape returns what echo prints of its arguments.
func unescape(args []string) string { return strings.ReplaceAll(strings.Join(args, " "), `\n`, "\n") }

// runLine runs a line of a session: a command line, or what is expected of the last one.
func (s *session) runLine(line string) error {
	text := os.Expand(line, func(name string) string {
		if value, known := s.variables[name]; known {
			return value
		}
		return "$" + name
	})
	mark, rest, _ := strings.Cut(text, " ")
	switch mark {
	case "", "#":
		return nil
	case "$":
		if s.result.Code != 0 || s.compares && len(s.sent) > 0 {
			return fmt.Errorf("the command before ended with exit code %d and also sent %q", s.result.Code, s.sent)
		}
		return s.runCommand(rest)
	case "-":
		if strings.Contains(fold(s.result.Out+s.result.Err), rest) {
			return fmt.Errorf("%q is printed", rest)
		}
		return nil
	case "=":
		if got := fold(s.result.Out); got != rest {
			return fmt.Errorf("%q is printed", got)
		}
		return nil
	case ">":
		s.compares = true
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(rest), `\.\.\.`, ".*") + "$"
		switch {
		case rest == "nothing" && len(s.sent) == 0:
		case len(s.sent) == 0 || !regexp.MustCompile(pattern).MatchString(s.sent[0]):
			return fmt.Errorf("sent: %q", s.sent)
		default:
			s.sent = s.sent[1:]
		}
		return nil
	}
	if code := exitStatus.FindStringSubmatch(text); code != nil {
		if code[1] != strconv.Itoa(s.result.Code) {
			return fmt.Errorf("the exit code is %d", s.result.Code)
		}
		s.result.Code, text = 0, text[len(code[0]):]
	}
	for part := range strings.SplitSeq(text, "...") {
		_, rest, found := strings.Cut(s.rest, fold(part))
		if !found {
			return fmt.Errorf("%q is not printed here", fold(part))
		}
		s.rest = rest
	}
	return nil
}

// runCommand runs a command line.
func (s *session) runCommand(line string) error {
	set := assignment.FindStringSubmatch(line)
	if set != nil {
		line = set[2]
	}
	words := shellWord.FindAllString(line, -1)
	for i, word := range words {
		words[i] = quoted.ReplaceAllString(word, "$1$2")
	}
	input, output := "", ""
	if at := slices.Index(words, "|"); at > 0 {
		input, words = unescape(words[1:at]), words[at+1:]
	} else if at := slices.Index(words, ">"); at > 0 {
		output, words = words[at+1], words[:at]
	}
	args, before := words[1:], len(s.API.Ledger())
	s.result = testenv.CommandResult{}
	switch words[0] {
	case "lookout":
		s.result = s.RunWithInput(input, args...)
	case "fault":
		if len(args) > 0 {
			return s.API.InjectSpec(strings.Join(args, " "))
		}
		s.API.ClearFaults()
	case "export":
		name, value, _ := strings.Cut(args[0], "=")
		s.variables[name] = value
		s.Setenv(name, value)
	case "echo":
		s.result.Out = unescape(args)
	case "cat":
		paths, _ := filepath.Glob(args[0])
		for _, path := range paths {
			s.result.Out += readText(s.T, path)
		}
	case "certificate":
		s.variables["CERTIFICATE"] = testenv.WriteCertificate(s.T, args[0])
	default:
		return fmt.Errorf("no command %q", words[0])
	}
	s.rest, s.sent, s.compares = fold(s.result.Out+s.result.Err), nil, false
	for _, c := range s.API.Ledger()[before:] {
		sent := c.Method + " " + c.Path
		if body, _ := json.Marshal(c.Body); len(c.Body) > 0 {
			sent += " " + string(body)
		}
		s.sent = append(s.sent, sent)
	}
	if set != nil {
		s.variables[set[1]] = strings.TrimSpace(s.result.Out)
	}
	if output != "" {
		s.Write(output, s.result.Out)
	}
	return nil
}
