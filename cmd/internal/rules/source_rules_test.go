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
		if spec.Name != nil {
			short = spec.Name.Name
		}
		if short == x.Name {
			return path + "." + selector.Sel.Name
		}
	}
	return ""
}

// A sourceRule is a rule that .golangci.yaml cannot express. It returns the places in a source that break it.
type sourceRule struct {
	rule      string
	violation func(s sourceFile, n ast.Node) string
	allowed   []string // files and folders that may
	example   string   // declarations that break it
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

func sourceRules() []sourceRule {
	return []sourceRule{
		{"clients and transports are made in one place", func(s sourceFile, n ast.Node) string {
			if made, ok := n.(*ast.CompositeLit); ok &&
				slices.Contains([]string{"net/http.Client", "net/http.Transport"}, s.qualifiedName(made.Type)) {
				return s.qualifiedName(made.Type)
			}
			return ""
		}, []string{"client/transport.go", "cmd/internal/setup/doctor.go"}, `import "net/http"; var _ = http.Client{}`},
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
			"texts of a server are client.ServerText",
			plainStringFields,
			[]string{"client/change.go"},
			"type Answer struct { Label string `json:\"label\"` }",
		},
		{"nothing is done before main", startupWork, nil, `import "regexp"; var x = regexp.MustCompile("x")`},
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
