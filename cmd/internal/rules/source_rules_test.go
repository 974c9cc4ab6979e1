package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lookout/cmd/internal/testenv"
)

// A sourceFile is a file of the program, without its tests.
type sourceFile struct {
	path string // "client/text.go"
	file *ast.File
	set  *gotoken.FileSet
}

// qualifiedName returns the full name of an expression like http.Get, "net/http.Get"; "" if it is not a name of an
// imported package.
func (s sourceFile) qualifiedName(e ast.Node) string {
	selector, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	x, ok := selector.X.(*ast.Ident)
	if !ok {
		return ""
	}
	for _, spec := range s.file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		short := path[strings.LastIndexByte(path, '/')+1:]
		if path == "charm.land/bubbletea/v2" {
			short = "tea"
		}
		if spec.Name != nil {
			short = spec.Name.Name
		}
		if short == x.Name {
			return path + "." + selector.Sel.Name
		}
	}
	return ""
}

// A sourceRule is a rule that no linter checks. It returns the places in a source that break it.
type sourceRule struct {
	rule      string
	violation func(s sourceFile, n ast.Node) string
	allowed   []string // files and folders that may
	example   string   // declarations that break it
}

// usesName returns a rule that forbids names of packages.
func usesName(names ...string) func(sourceFile, ast.Node) string {
	return func(s sourceFile, n ast.Node) string {
		if name := s.qualifiedName(n); slices.Contains(names, name) {
			return name
		}
		return ""
	}
}

// callsName returns a rule that forbids methods and built-in functions by their bare name.
func callsName(names ...string) func(sourceFile, ast.Node) string {
	return func(_ sourceFile, n ast.Node) string {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return ""
		}
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			if slices.Contains(names, "."+f.Sel.Name) {
				return "." + f.Sel.Name
			}
		case *ast.Ident:
			if slices.Contains(names, f.Name) {
				return f.Name
			}
		}
		return ""
	}
}

// startupWork finds work before main: init functions, regular expressions and system calls in package variables.
func startupWork(s sourceFile, n ast.Node) string {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Recv == nil && n.Name.Name == "init" {
			return "an init function"
		}
	case *ast.GenDecl:
		if n.Tok != gotoken.VAR || !slices.Contains(s.file.Decls, ast.Decl(n)) {
			return ""
		}
		found := ""
		ast.Inspect(n, func(inner ast.Node) bool {
			if _, late := inner.(*ast.FuncLit); late {
				return false
			}
			if name := s.qualifiedName(inner); strings.HasPrefix(name, "regexp.") || strings.HasPrefix(name, "os.") {
				found = name + " in a package variable"
			}
			return true
		})
		return found
	}
	return ""
}

// plainStringFields finds members of answers that hold server text as a plain string.
func plainStringFields(s sourceFile, n ast.Node) string {
	spec, ok := n.(*ast.TypeSpec)
	if !ok || !strings.HasPrefix(s.path, "client/") || strings.Count(s.path, "/") != 1 ||
		strings.HasSuffix(spec.Name.Name, "Request") {
		return ""
	}
	body, ok := spec.Type.(*ast.StructType)
	if !ok {
		return ""
	}
	for _, field := range body.Fields.List {
		if field.Tag == nil || !strings.Contains(field.Tag.Value, `json:"`) {
			continue
		}
		kind := field.Type
		if list, ok := kind.(*ast.ArrayType); ok {
			kind = list.Elt
		}
		if name, ok := kind.(*ast.Ident); ok && name.Name == "string" {
			return fmt.Sprintf("%s.%s", spec.Name.Name, field.Names[0].Name)
		}
	}
	return ""
}

// directTransfers finds bare requests that fetch or store objects, which neither check nor watch nor read back.
func directTransfers(_ sourceFile, n ast.Node) string {
	called, ok := n.(*ast.SelectorExpr)
	if !ok || called.Sel.Name != "Get" && called.Sel.Name != "Put" {
		return ""
	}
	if of, ok := called.X.(*ast.SelectorExpr); ok && of.Sel.Name == "Objects" {
		return "Objects." + called.Sel.Name
	}
	return ""
}

func sourceRules() []sourceRule {
	screen := []string{"ui/terminal/"}
	return []sourceRule{
		{
			"requests go through client/transport.go",
			usesName(
				"net/http.Get", "net/http.Head", "net/http.Post", "net/http.PostForm", "net/http.DefaultClient",
				"net/http.DefaultTransport",
			),
			nil,
			`import "net/http"; var _, _ = http.Get("x")`,
		},
		{"clients and transports are made in one place", func(s sourceFile, n ast.Node) string {
			if made, ok := n.(*ast.CompositeLit); ok &&
				slices.Contains([]string{"net/http.Client", "net/http.Transport"}, s.qualifiedName(made.Type)) {
				return s.qualifiedName(made.Type)
			}
			return ""
		}, []string{"client/transport.go", "cmd/internal/setup/doctor.go"}, `import "net/http"; var _ = http.Client{}`},
		{"no certificate is taken unseen", func(_ sourceFile, n ast.Node) string {
			if name, ok := n.(*ast.Ident); ok && name.Name == "InsecureSkipVerify" {
				return name.Name
			}
			return ""
		}, nil, `import "crypto/tls"; var _ = tls.Config{InsecureSkipVerify: true}`},
		{
			"files are made in the file packages",
			usesName(
				"os.Create", "os.OpenFile", "os.WriteFile", "os.CreateTemp", "os.MkdirTemp", "os.Rename",
				"os.RemoveAll", "os.Link", "os.Symlink",
			),
			[]string{
				"client/safefile/", "client/statefile/", "client/journal/", "client/transfer/", "client/ratelimit/",
				"cmd/internal/config/private_file.go", "cmd/internal/dashboard/dashboard.go", "cmd/docgen/",
				"cmd/internal/setup/wizard.go", "views/storage/key_secret.go",
			},
			`import "os"; var _, _ = os.Create("x")`,
		},
		{
			"the standard streams are main's",
			usesName("os.Stdin", "os.Stdout", "os.Stderr", "fmt.Print", "fmt.Printf", "fmt.Println"),
			[]string{
				"cmd/lookout/main.go", "cmd/docgen/main.go", "cmd/internal/cli/emulate.go",
				"cmd/internal/dashboard/dashboard.go", "cmd/internal/setup/doctor.go", "ui/terminal/",
			},
			`import "fmt"; func f() { fmt.Println() }`,
		},
		{"goroutines are started where they are known to end", func(_ sourceFile, n ast.Node) string {
			if _, ok := n.(*ast.GoStmt); ok {
				return "go"
			}
			return ""
		}, []string{
			"ui/terminal/", "client/emulator/", "client/object_iterator.go",
			"client/transfer/manager.go", "client/transfer/pace.go", "client/transfer/interrupted.go",
			"client/transfer/copy.go", "client/lists/prefetch.go", "client/lists/executor.go",
			"client/account/account.go", "client/account/bucket_fetcher.go", "cmd/internal/config/token.go",
			"cmd/internal/prompt/prompt.go", "cmd/internal/exit/signal.go",
			"cmd/internal/cli/script_session.go", "cmd/internal/cli/emulate.go", "cmd/internal/keep/", "cmd/docgen/",
		},
			`func f() { go f() }`},
		{
			"the screen is ui/terminal's",
			usesName(
				"charm.land/bubbletea/v2.Println", "charm.land/bubbletea/v2.Printf", "charm.land/bubbletea/v2.Raw",
				"charm.land/bubbletea/v2.SetClipboard", "charm.land/bubbletea/v2.ReadClipboard",
				"charm.land/bubbletea/v2.SetPrimaryClipboard", "charm.land/bubbletea/v2.NewProgram",
				"charm.land/bubbletea/v2.Exec", "charm.land/bubbletea/v2.ExecProcess",
				"charm.land/bubbletea/v2.Suspend", "charm.land/bubbletea/v2.Quit",
			),
			screen,
			`import tea "charm.land/bubbletea/v2"; var _ = tea.Println("x")`,
		},
		{
			"the program ends in one place",
			usesName("os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "syscall.Exit"),
			[]string{"cmd/lookout/main.go", "cmd/docgen/main.go", "ui/terminal/tty.go"},
			`import "os"; func f() { os.Exit(1) }`,
		},
		{"nobody panics", callsName("panic"), []string{"client/emulator/"}, `func f() { panic("x") }`},
		{
			"panics end at the terminal's edge",
			callsName("recover"),
			[]string{"ui/terminal/terminal.go", "ui/terminal/tty.go", "client/emulator/roundtrip.go"},
			`func f() { _ = recover() }`,
		},
		{
			"objects and files move through client/transfer",
			directTransfers,
			[]string{"client/transfer/", "views/storage/uploads.go"},
			`type o struct{}; func (o) Get() int { return 0 }; type c struct{ Objects o }; var _ = c{}.Objects.Get()`,
		},
		{
			"other programs are started in known places",
			usesName("os/exec.Command", "os/exec.CommandContext", "os.StartProcess", "syscall.Exec"),
			[]string{
				"cmd/internal/config/token.go", "cmd/internal/cli/config_command.go", "ui/shell/program_actions.go",
				"ui/terminal/clipboard.go", "ui/terminal/command.go", "cmd/internal/keep/detach.go",
				"cmd/docgen/licenses.go",
			},
			`import "os/exec"; var _ = exec.Command("x")`,
		},
		{
			"secrets are revealed only in known places",
			callsName(".Reveal"),
			[]string{
				"client/transport.go", "client/client.go", "client/secret.go", "client/presigned.go",
				"client/credentials.go", "client/buckets.go", "client/keys.go", "client/objects.go", "cmd/internal/",
				"ui/shell/secret_dialog.go", "views/storage/key_secret.go", "views/storage/links.go",
				"client/account/issued_links.go", "views/operation/copy_links.go",
			},
			`type s struct{}; func (s) Reveal() string { return "" }; var _ = s{}.Reveal()`,
		},
		{
			"texts of a server are client.ServerText",
			plainStringFields,
			[]string{"client/change.go"},
			"type Answer struct { Label string `json:\"label\"` }",
		},
		{"nothing is done before main", startupWork, nil, `import "regexp"; var x = regexp.MustCompile("x")`},
		{
			"no wait is longer than it needs",
			usesName("time.Sleep"),
			[]string{"ui/terminal/"},
			`import "time"; func f() { time.Sleep(1) }`,
		},
		{"chance is not for secrets", func(s sourceFile, n ast.Node) string {
			if spec, ok := n.(*ast.ImportSpec); ok && spec.Path.Value == `"math/rand"` {
				return "math/rand"
			}
			return ""
		}, nil, `import "math/rand"; var _ = rand.Int()`},
	}
}

// violations returns the places of a source that break a rule.
func (g sourceRule) violations(s sourceFile) (places []string) {
	for _, may := range g.allowed {
		if s.path == may || strings.HasSuffix(may, "/") && strings.HasPrefix(s.path, may) {
			return nil
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if what := g.violation(s, n); what != "" {
			places = append(places, fmt.Sprintf("%s: %s", s.set.Position(n.Pos()), what))
		}
		return true
	})
	return places
}

// readSources returns all files of the program, with paths relative to the top. It skips hidden folders, as Go does,
// and testSupport.
func readSources(t *testing.T) (all []sourceFile) {
	t.Helper()
	set := gotoken.NewFileSet()
	err := filepath.WalkDir(testenv.RepoRoot(t), func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(testenv.RepoRoot(t), path)
		name = filepath.ToSlash(name)
		if err == nil && d.IsDir() && (len(name) > 1 && strings.HasPrefix(name, ".") || d.Name() == "testdata" ||
			slices.Contains(testSupport, name)) {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		all = append(all, sourceFile{name, file, set})
		return err
	})
	if err != nil || len(all) < 50 {
		t.Fatalf("%d sources, %v", len(all), err)
	}
	return all
}

// The program keeps every rule, and each rule finds a planted violation.
func TestSourceRules(t *testing.T) {
	all := readSources(t)
	for _, g := range sourceRules() {
		t.Run(g.rule, func(t *testing.T) {
			for _, s := range all {
				for _, place := range g.violations(s) {
					t.Error(place)
				}
			}
			set := gotoken.NewFileSet()
			file, err := parser.ParseFile(set, "planted.go", "package planted; "+g.example, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(g.violations(sourceFile{"client/planted.go", file, set})) == 0 {
				t.Error("a planted violation is not caught")
			}
			for _, may := range g.allowed {
				if _, err := os.Stat(filepath.Join(testenv.RepoRoot(t), may)); err != nil {
					t.Errorf("the exception is for nothing: %v", err)
				}
			}
		})
	}
}
