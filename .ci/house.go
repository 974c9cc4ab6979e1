//go:build ignore

// house prints the measures of the sources with their targets; .ci/house runs it. With -check it fails when a target is
// missed, with -quick it leaves out the measure that runs a test.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A measure is one row of the table.
type measure struct {
	name   string
	value  int
	target int
	where  string // the place with the highest value, or the places that count
}

// A source is one Go file.
type source struct {
	path, pkg string // relative to the project folder
	test      bool
	text      string
	file      *ast.File
	fset      *token.FileSet
}

func main() {
	check := flag.Bool("check", false, "exit with code 1 when a target is missed")
	quick := flag.Bool("quick", false, "leave out the path of a change, which runs a test")
	flag.Parse()
	sources, err := readSources()
	exitIf(err)
	rows := []measure{
		codeLines(sources),
		widestType(sources),
		widestStruct(sources),
		largestPackage(sources),
		definitionPlaces(sources),
		textInputs(sources),
		longLines(sources),
		sharedNames(sources),
		longestFunction(sources),
		mostParameters(sources),
	}
	if !*quick {
		packages, files, err := changePath()
		exitIf(err)
		rows = append(rows, packages, files)
	}
	fmt.Print("| measure | now | target | where |\n|---|---|---|---|\n")
	missed := 0
	for _, m := range rows {
		target := fmt.Sprint(m.target)
		if m.value > m.target {
			target += " (missed)"
			missed++
		}
		fmt.Printf("| %s | %d | %s | %s |\n", m.name, m.value, target, m.where)
	}
	if *check && missed > 0 {
		fmt.Printf("%d of %d targets are missed\n", missed, len(rows))
		os.Exit(1)
	}
}

func exitIf(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(2)
	}
}

// readSources parses every Go file of the project. Folders that Go ignores are left out.
func readSources() (all []source, err error) {
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, source{
			path: filepath.ToSlash(path),
			pkg:  filepath.ToSlash(filepath.Dir(path)),
			test: strings.HasSuffix(path, "_test.go"),
			text: string(text),
			file: file,
			fset: fset,
		})
		return nil
	})
	return all, err
}

// eachDecl calls do for every declaration of the files that are not tests.
func eachDecl(sources []source, do func(source, ast.Decl)) {
	for _, s := range sources {
		if s.test {
			continue
		}
		for _, decl := range s.file.Decls {
			do(s, decl)
		}
	}
}

// eachType calls do for every type declared outside of tests.
func eachType(sources []source, do func(source, *ast.TypeSpec)) {
	eachDecl(sources, func(s source, decl ast.Decl) {
		if group, ok := decl.(*ast.GenDecl); ok && group.Tok == token.TYPE {
			for _, spec := range group.Specs {
				do(s, spec.(*ast.TypeSpec))
			}
		}
	})
}

// largest returns the key with the highest count.
func largest(counts map[string]int) (key string, count int) {
	for k, n := range counts {
		if n > count || n == count && k < key {
			key, count = k, n
		}
	}
	return key, count
}

func codeLines(sources []source) measure {
	n := 0
	for _, s := range sources {
		if !s.test {
			n += strings.Count(s.text, "\n")
		}
	}
	return measure{name: "lines of code without tests", value: n, target: 34_000}
}

// typeName returns the name of a type expression without pointer, package and type arguments.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func widestType(sources []source) measure {
	methods := map[string]int{}
	eachDecl(sources, func(s source, decl ast.Decl) {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
			methods[s.pkg+"."+typeName(f.Recv.List[0].Type)]++
		}
	})
	where, n := largest(methods)
	return measure{"methods on the widest type", n, 40, where}
}

// widestStruct leaves out tables: structs whose fields all have one type, such as glyphs or operations.
func widestStruct(sources []source) measure {
	fields := map[string]int{}
	eachType(sources, func(s source, spec *ast.TypeSpec) {
		t, ok := spec.Type.(*ast.StructType)
		if !ok {
			return
		}
		n, types := 0, map[string]bool{}
		for _, f := range t.Fields.List {
			n += max(1, len(f.Names))
			types[s.text[s.fset.Position(f.Type.Pos()).Offset:s.fset.Position(f.Type.End()).Offset]] = true
		}
		if len(types) > 1 {
			fields[s.pkg+"."+spec.Name.Name] = n
		}
	})
	where, n := largest(fields)
	return measure{"fields in the widest struct", n, 20, where}
}

func largestPackage(sources []source) measure {
	files := map[string]int{}
	for _, s := range sources {
		if !s.test {
			files[s.pkg]++
		}
	}
	where, n := largest(files)
	return measure{"files in one package, without tests", n, 25, where}
}

// places collects, for each key, the packages in which something is defined.
type places map[string]map[string]bool

func (p places) add(key, pkg string) {
	if p[key] == nil {
		p[key] = map[string]bool{}
	}
	p[key][pkg] = true
}

// definitionPlaces counts the packages that define the same thing about a resource: its columns (a list of column
// values for its row type), a bound of its fields (a call of Length with literal limits in the file named after the
// resource) or scopes (literals such as "account:read_only"). The fakes for tests do not count.
func definitionPlaces(sources []source) measure {
	scope := regexp.MustCompile(`^"[a-z_]+:read_(only|write)"$`)
	found := places{}
	for _, s := range sources {
		if s.test || s.pkg == "client/emulator" || s.pkg == "client/faulttest" {
			continue
		}
		resource, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(s.path), ".go"), "_")
		var aliases map[string]ast.Expr
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				aliases = localAliases(n)
			case *ast.CompositeLit:
				// LocalRow is no resource: unrelated lists that are not read from the API share it
				if row := columnRow(n, aliases); row != "" && row != "LocalRow" {
					found.add("columns of "+row, s.pkg)
				}
			case *ast.CallExpr:
				if typeName(n.Fun) == "Length" && len(n.Args) == 2 && isLiteral(n.Args[0]) && isLiteral(n.Args[1]) {
					found.add("bounds of "+resource, s.pkg)
				}
			case *ast.BasicLit:
				if scope.MatchString(n.Value) {
					found.add("scopes", s.pkg)
				}
			}
			return true
		})
	}
	counts := map[string]int{}
	for key, packages := range found {
		counts[key] = len(packages)
	}
	key, n := largest(counts)
	where := ""
	if n > 1 {
		where = key + ": " + strings.Join(sortedKeys(found[key]), ", ")
	}
	return measure{"places that define a column, a bound or a scope of a resource", n, 1, where}
}

// columnRow returns the row type of a list of columns, such as "Service" for []table.Column[*client.Service]{...}.
func columnRow(lit *ast.CompositeLit, aliases map[string]ast.Expr) string {
	list, ok := lit.Type.(*ast.ArrayType)
	if !ok || len(lit.Elts) == 0 {
		return ""
	}
	generic, ok := resolveAlias(list.Elt, aliases).(*ast.IndexExpr)
	if !ok || !strings.HasPrefix(strings.ToLower(typeName(generic)), "column") {
		return ""
	}
	return typeName(resolveAlias(generic.Index, aliases))
}

// localAliases returns the types that a function gives names to: row for *client.Service.
func localAliases(f *ast.FuncDecl) map[string]ast.Expr {
	aliases := map[string]ast.Expr{}
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			aliases[spec.Name.Name] = spec.Type
		}
		return true
	})
	return aliases
}

// resolveAlias returns what a name stands for, or the expression itself.
func resolveAlias(e ast.Expr, aliases map[string]ast.Expr) ast.Expr {
	if name, ok := e.(*ast.Ident); ok && aliases[name.Name] != nil {
		return aliases[name.Name]
	}
	return e
}

func isLiteral(e ast.Expr) bool {
	_, ok := e.(*ast.BasicLit)
	return ok
}

func sortedKeys(set map[string]bool) []string {
	var keys []string
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// textInputs counts the types that insert typed text in one line: those with a method that reads the Text of a key
// press, and those that hold a textinput.Model. The editor of several lines, ui/input.TextArea, is the other one
// that is wanted.
func textInputs(sources []source) measure {
	types := map[string]bool{}
	eachDecl(sources, func(s source, decl ast.Decl) {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv == nil || f.Body == nil {
			return
		}
		for _, param := range f.Type.Params.List {
			if typeName(param.Type) != "KeyPressMsg" || len(param.Names) == 0 {
				continue
			}
			name := s.pkg + "." + typeName(f.Recv.List[0].Type)
			if readsText(f.Body, param.Names[0].Name) && name != "ui/input.TextArea" {
				types[name] = true
			}
		}
	})
	eachType(sources, func(s source, spec *ast.TypeSpec) {
		if t, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range t.Fields.List {
				if sel, ok := f.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Model" &&
					typeName(sel.X) == "textinput" {
					types[s.pkg+"."+spec.Name.Name] = true
				}
			}
		}
	})
	return measure{"implementations of one-line text input", len(types), 1, strings.Join(sortedKeys(types), ", ")}
}

// readsText reports whether a body uses name.Text.
func readsText(body *ast.BlockStmt, name string) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Text" && typeName(sel.X) == name {
			found = true
		}
		return !found
	})
	return found
}

// longLines counts a tab as four columns. Tests count too.
func longLines(sources []source) measure {
	files, n := map[string]int{}, 0
	for _, s := range sources {
		for line := range strings.Lines(s.text) {
			line = strings.TrimRight(line, "\r\n")
			if len([]rune(strings.ReplaceAll(line, "\t", "    "))) > 120 {
				files[s.path]++
				n++
			}
		}
	}
	where, most := largest(files)
	if most > 0 {
		where = fmt.Sprintf("%d in %s", most, where)
	}
	return measure{"lines over 120 columns, tests included", n, 0, where}
}

// sharedNames counts the exported type names that more than one package declares. Option and Options are a convention
// of Go, aliases are the same type, and the emulator shares the words of the API with the client.
func sharedNames(sources []source) measure {
	found := places{}
	eachType(sources, func(s source, spec *ast.TypeSpec) {
		name := spec.Name.Name
		if spec.Assign.IsValid() || !ast.IsExported(name) || name == "Option" || name == "Options" ||
			s.pkg == "client/emulator" {
			return
		}
		found.add(name, s.pkg)
	})
	var shared []string
	for name, packages := range found {
		if len(packages) > 1 {
			shared = append(shared, name+" ("+strings.Join(sortedKeys(packages), ", ")+")")
		}
	}
	slices.Sort(shared)
	return measure{"exported type names in two packages", len(shared), 0, strings.Join(shared, "; ")}
}

func longestFunction(sources []source) measure {
	lines := map[string]int{}
	eachDecl(sources, func(s source, decl ast.Decl) {
		if f, ok := decl.(*ast.FuncDecl); ok {
			from, to := s.fset.Position(f.Pos()).Line, s.fset.Position(f.End()).Line
			lines[s.path+" "+f.Name.Name] = to - from + 1
		}
	})
	where, n := largest(lines)
	return measure{"lines of the longest function", n, 55, where}
}

func mostParameters(sources []source) measure {
	parameters := map[string]int{}
	eachDecl(sources, func(s source, decl ast.Decl) {
		if f, ok := decl.(*ast.FuncDecl); ok {
			n := 0
			for _, p := range f.Type.Params.List {
				n += max(1, len(p.Names))
			}
			parameters[s.path+" "+f.Name.Name] = n
		}
	})
	where, n := largest(parameters)
	return measure{"parameters of a function", n, 5, where}
}

// changePath counts the packages and files under views, ui and client that have to be read to understand how a key
// changes a service: those with a function that disabling a service enters and that nothing else enters, from the key
// to the message. TestChangePath in cmd/internal/dashboard presses the keys. Functions that reading, drawing or moving
// enters too do not count, nor do the effects of a disabled service or of a longer journal, whoever caused them. The
// emulator stands for the API, and what is entered in ui/terminal depends on when it draws. The other keys run three
// times, so that nothing else that depends on timing counts.
func changePath() (packages, files measure, err error) {
	entered, err := functionsOf("disable", 1)
	if err != nil {
		return packages, files, err
	}
	other, err := functionsOf("other", 3)
	if err != nil {
		return packages, files, err
	}
	inPackages, inFiles := map[string]bool{}, map[string]bool{}
	for function := range entered {
		file, _, _ := strings.Cut(function, ":")
		if other[function] || strings.HasPrefix(file, "client/emulator/") || strings.HasPrefix(file, "ui/terminal/") {
			continue
		}
		inFiles[file] = true
		inPackages[filepath.ToSlash(filepath.Dir(file))] = true
	}
	packages = measure{"packages entered by disabling a service", len(inPackages), 5,
		strings.Join(sortedKeys(inPackages), ", ")}
	files = measure{"files entered by disabling a service", len(inFiles), 12, strings.Join(sortedKeys(inFiles), ", ")}
	return packages, files, nil
}

// functionsOf runs a subtest of TestChangePath and returns the functions that it enters, as "client/writer.go:54:".
func functionsOf(subtest string, times int) (map[string]bool, error) {
	profile, err := os.CreateTemp("", "house-*.cov")
	if err != nil {
		return nil, err
	}
	profile.Close()
	defer os.Remove(profile.Name())
	out, err := exec.Command(
		"go", "test", fmt.Sprintf("-count=%d", times), "-coverprofile="+profile.Name(),
		"-coverpkg=./client/...,./ui/...,./views/...", "-run=TestChangePath$/"+subtest+"$", "./cmd/internal/dashboard",
	).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("TestChangePath/%s: %w\n%s", subtest, err, out)
	}
	out, err = exec.Command("go", "tool", "cover", "-func="+profile.Name()).Output()
	if err != nil {
		return nil, fmt.Errorf("go tool cover: %w", err)
	}
	module, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	entered, prefix := map[string]bool{}, strings.TrimSpace(string(module))+"/"
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if len(words) == 3 && words[2] != "0.0%" && words[0] != "total:" {
			entered[strings.TrimPrefix(words[0], prefix)] = true
		}
	}
	if len(entered) == 0 {
		return nil, fmt.Errorf("TestChangePath/%s enters no function", subtest)
	}
	return entered, nil
}
