package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	gotoken "go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lookout/client/faulttest"
	"lookout/cmd/internal/testenv"
)

// A checkedPackage is a package of the program with its types.
type checkedPackage struct {
	path  string // "lookout/views"
	files []*ast.File
	info  *types.Info
	set   *gotoken.FileSet
}

// A packageLoader type-checks packages. It reads their imports from export data.
type packageLoader struct {
	set      *gotoken.FileSet
	importer types.Importer
	packages []listedPackage
}

// listedPackage is a package as go list prints it.
type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

func newPackageLoader(t *testing.T) *packageLoader {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles", "./...")
	list.Dir = testenv.RepoRoot(t)
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	h := &packageLoader{set: gotoken.NewFileSet()}
	compiled, module := map[string]string{}, testenv.ModulePath(t)+"/"
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		compiled[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module) {
			h.packages = append(h.packages, p)
		}
	}
	h.importer = importer.ForCompiler(
		h.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) },
	)
	return h
}

// check returns a package with its types.
func (h *packageLoader) check(t *testing.T, path string, files ...*ast.File) checkedPackage {
	t.Helper()
	r := checkedPackage{path, files, &types.Info{
		Types:     map[ast.Expr]types.TypeAndValue{},
		Instances: map[*ast.Ident]types.Instance{},
		Uses:      map[*ast.Ident]types.Object{},
		Defs:      map[*ast.Ident]types.Object{},
	}, h.set}
	if _, err := (&types.Config{Importer: h.importer}).Check(path, h.set, files, r.info); err != nil {
		t.Fatal(err)
	}
	return r
}

// checkAll returns all packages of the program.
func (h *packageLoader) checkAll(t *testing.T) (all []checkedPackage) {
	t.Helper()
	for _, p := range h.packages {
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(h.set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		all = append(all, h.check(t, p.ImportPath, files...))
	}
	return all
}

// rowTypes are the full names of the types to which stores and pages hold pointers.
type rowTypes map[string]bool

func (k rowTypes) addFrom(r checkedPackage) {
	for _, made := range r.info.Instances {
		of, ok := made.Type.(*types.Named)
		stores := []string{"lookout/client/lists.RowStore", "lookout/client.Page"}
		if !ok || !slices.Contains(stores, qualifiedName(of)) {
			continue
		}
		if row, ok := made.TypeArgs.At(0).(*types.Pointer); ok {
			k[row.Elem().String()] = true
		}
	}
}

func qualifiedName(n *types.Named) string {
	if n.Obj().Pkg() == nil {
		return n.Obj().Name()
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name()
}

// isRowPointer reports whether an expression points to a row.
func (k rowTypes) isRowPointer(r checkedPackage, e ast.Expr) bool {
	p, ok := r.info.TypeOf(e).(*types.Pointer)
	return ok && k[p.Elem().String()]
}

// isInRow reports whether an expression is a row behind a pointer, or part of one.
func (k rowTypes) isInRow(r checkedPackage, e ast.Expr) bool {
	for {
		var of ast.Expr
		switch e := e.(type) {
		case *ast.SelectorExpr:
			of = e.X
		case *ast.IndexExpr:
			of = e.X
		case *ast.StarExpr:
			of = e.X
		case *ast.ParenExpr:
			of = e.X
		default:
			return false
		}
		if k.isRowPointer(r, of) {
			return true
		}
		e = of
	}
}

// violations returns the places at which a row is changed, or used although it may not exist.
func (k rowTypes) violations(r checkedPackage) (places []string) {
	say := func(n ast.Node, what string) {
		places = append(places, fmt.Sprintf("%s: %s", r.set.Position(n.Pos()), what))
	}
	for _, file := range r.files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, e := range n.Lhs {
					if k.isInRow(r, e) {
						say(e, "a row is changed: copy it before")
					}
				}
				if last, ok := n.Lhs[len(n.Lhs)-1].(*ast.Ident); ok && len(n.Lhs) == 2 && len(n.Rhs) == 1 &&
					last.Name == "_" && k.isRowPointer(r, n.Lhs[0]) {
					say(n, "nobody asks whether there is a row")
				}
			case *ast.IncDecStmt:
				if k.isInRow(r, n.X) {
					say(n, "a row is changed: copy it before")
				}
			case *ast.UnaryExpr:
				if n.Op == gotoken.AND && k.isInRow(r, n.X) {
					say(n, "a part of a row is given away to be changed: copy the row before")
				}
			}
			return true
		})
	}
	return places
}

// All panes share rows and read them off the loop, so nobody changes a row, and nobody uses one that may not exist.
// Only client and its subpackages, and the package of previews, which create rows, may write them.
func TestRowsAreNeverModified(t *testing.T) {
	faulttest.SkipUnlessLong(t)
	h, known := newPackageLoader(t), rowTypes{}
	all := h.checkAll(t)
	for _, r := range all {
		known.addFrom(r)
	}
	if len(known) < 12 || !known["lookout/client.Service"] {
		t.Fatalf("rows are %v", known)
	}
	for _, r := range all {
		if strings.HasPrefix(r.path+"/", "lookout/client/") || r.path == "lookout/views/storage/preview" {
			continue
		}
		for _, place := range known.violations(r) {
			t.Error(place)
		}
	}
	for _, planted := range []string{
		"s.ID = 1", "s.Credentials[0]++", "*s = client.Service{}", "_ = &s.Label", "s, _ = get(); _ = s",
	} {
		text := `package planted; import "lookout/client"; func f(s *client.Service, get func() (*client.Service, ` +
			`bool)) { ` + planted + ` }`
		file, err := parser.ParseFile(h.set, "planted.go", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if len(known.violations(h.check(t, "planted", file))) == 0 {
			t.Errorf("a planted violation is not caught: %s", planted)
		}
	}
}
