//go:build ignore

// mutants changes the code in the ways in which people get it wrong, and counts the changes that no test notices;
// .ci/mutants runs it. A mutant is one such change. It is compiled from an overlay, so that the tree stays as it is.
package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// defaultPackages are those whose errors do the most damage.
var defaultPackages = []string{
	"./client", "./client/journal", "./client/transfer", "./ui", "./ui/chart", "./ui/filter", "./ui/form",
	"./ui/input", "./ui/search", "./ui/shell", "./ui/table", "./ui/terminal", "./client/account",
	"./client/lists", "./views/operation",
}

// testedBy names the packages whose tests are in another one, where they press keys in whole panes.
var testedBy = map[string]string{"client/account": "views", "client/lists": "views", "views/operation": "views"}

// needed is the share of mutants that must be killed, in percent.
const needed = 95

// equivalentsFile lists the mutants that change nothing.
const equivalentsFile = ".ci/mutants.equivalent"

// A mutant is one change of one file: the bytes from start to end are replaced.
type mutant struct {
	pkg                *pkg
	file               string // relative to the project folder
	line               int
	start, end         int
	text               string // what replaces them
	operator, function string
	needsStrings       bool // the replacement uses package strings
}

// A result says what became of a mutant.
type result int

const (
	survived result = iota
	killed
	timedOut
	invalid // does not compile
)

type options struct {
	count    int
	seed     uint64
	operator string
	at       string
	list     bool
	verbose  bool
}

func main() {
	var o options
	flag.IntVar(&o.count, "n", 300, "number of mutants")
	flag.Uint64Var(&o.seed, "seed", 0, "seed of the draw (default: a new one)")
	flag.StringVar(&o.operator, "operator", "", "only mutants of these operators, separated by commas")
	flag.StringVar(&o.at, "at", "", "all mutants of one place instead of a draw: FILE or FILE:LINE")
	flag.BoolVar(&o.list, "list", false, "print the mutants instead of running them")
	flag.BoolVar(&o.verbose, "v", false, "print what became of each mutant")
	flag.Parse()
	if o.seed == 0 {
		o.seed = rand.Uint64N(1_000_000)
	}
	ok, err := run(o, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run reports whether enough mutants were killed.
func run(o options, names []string) (bool, error) {
	if len(names) == 0 {
		names = defaultPackages
	}
	known, err := readEquivalents()
	if err != nil {
		return false, err
	}
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	fmt.Printf("seed %d\n", o.seed)
	packages, err := load(names)
	if err != nil {
		return false, err
	}
	r := newReport(o.seed, known)
	var all []*mutant
	for _, p := range packages {
		if err := p.readCoverage(work); err != nil {
			return false, err
		}
		mutants := p.mutants()
		r.places(p, mutants)
		for _, m := range mutants {
			if o.selects(m) && len(p.testsFor(m)) > 0 {
				all = append(all, m)
			}
		}
	}
	for m := range o.draw(all) {
		if o.list {
			fmt.Println(m)
			continue
		}
		if r.isEquivalent(m) {
			continue
		}
		outcome, err := m.run(work)
		if err != nil {
			return false, err
		}
		r.add(m, outcome, o.verbose)
		if o.at == "" && r.run >= o.count {
			break
		}
	}
	return r.print(names), nil
}

// selects reports whether the flags allow a mutant.
func (o options) selects(m *mutant) bool {
	file, line, hasLine := strings.Cut(o.at, ":")
	return (o.operator == "" || slices.Contains(strings.Split(o.operator, ","), m.operator)) &&
		(o.at == "" || file == m.file) &&
		(!hasLine || line == strconv.Itoa(m.line))
}

// draw yields mutants in random order, of each operator in turn, so that the rare ones have their share. The order of
// two depends only on the seed and on themselves, so a draw repeats although the coverage of a test may differ.
func (o options) draw(all []*mutant) func(yield func(*mutant) bool) {
	return func(yield func(*mutant) bool) {
		if o.at == "" {
			places := map[*mutant]uint64{}
			for _, m := range all {
				hash := fnv.New64a()
				fmt.Fprint(hash, o.seed, m.key())
				places[m] = hash.Sum64()
			}
			slices.SortStableFunc(all, func(a, b *mutant) int { return cmp.Compare(places[a], places[b]) })
		}
		by := map[string][]*mutant{}
		for _, m := range all {
			by[m.operator] = append(by[m.operator], m)
		}
		for len(by) > 0 {
			for _, operator := range slices.Sorted(maps.Keys(by)) {
				if !yield(by[operator][0]) {
					return
				}
				if by[operator] = by[operator][1:]; len(by[operator]) == 0 {
					delete(by, operator)
				}
			}
		}
	}
}

// A pkg is one package with its types, and the tests that reach each of its blocks.
type pkg struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool

	folder string // relative to the project folder
	tested string // the folder whose tests count
	fset   *token.FileSet
	files  map[string]*ast.File // by path relative to the project folder
	source map[string][]byte
	info   *types.Info
	types  *types.Package

	tests  []string
	took   map[string]time.Duration
	blocks map[string][]block // by file
}

// A block is a piece of code without branches, and the tests that run it.
type block struct {
	fromLine, fromColumn, toLine, toColumn int
	tests                                  []string
}

// load parses and type-checks packages. The types of imports come from the compiler's own files.
func load(names []string) (packages []*pkg, err error) {
	list := exec.Command(
		"go",
		append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly"},
			names...)...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(pkg)
		if err := d.Decode(p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			packages = append(packages, p)
		}
	}
	for _, p := range packages {
		if p.folder, err = filepath.Rel(root, p.Dir); err != nil {
			return nil, err
		}
		p.tested = cmp.Or(testedBy[p.folder], p.folder)
		if err := p.check(exports); err != nil {
			return nil, err
		}
	}
	return packages, nil
}

func (p *pkg) check(exports map[string]string) error {
	p.fset, p.files, p.source = token.NewFileSet(), map[string]*ast.File{}, map[string][]byte{}
	var files []*ast.File
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		path := filepath.Join(p.folder, name)
		file, err := parser.ParseFile(p.fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p.files[path], p.source[path] = file, text
		files = append(files, file)
	}
	config := types.Config{Importer: importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	p.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Uses:  map[*ast.Ident]types.Object{},
		Defs:  map[*ast.Ident]types.Object{},
	}
	var err error
	p.types, err = config.Check(p.ImportPath, p.fset, files, p.info)
	return err
}

// readCoverage runs each test alone, to learn which blocks it reaches. The result is kept in the user's cache for the
// next run with the same test program.
func (p *pkg) readCoverage(work string) error {
	binary := filepath.Join(work, "covered.test")
	defer os.Remove(binary)
	build := exec.Command("go", "test", "-c", "-cover", "-covermode=set", "-coverpkg="+p.ImportPath, "-o", binary,
		"./"+p.tested)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", p.folder, err, out)
	}
	program, err := os.ReadFile(binary)
	if err != nil {
		return nil // there are no tests
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	cache := filepath.Join(caches, "lookout-mutants", fmt.Sprintf("%x", sha256.Sum256(program)))
	if err := p.runEachTest(binary, cache); err != nil {
		return err
	}
	p.blocks, p.took = map[string][]block{}, map[string]time.Duration{}
	for _, test := range p.tests {
		if err := p.readProfile(cache, test); err != nil {
			return err
		}
	}
	return nil
}

// runEachTest writes the profile and the time of each test into a folder, unless it is there.
func (p *pkg) runEachTest(binary, cache string) error {
	list := exec.Command(binary, "-test.list", ".")
	list.Dir = p.tested
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", p.folder, err)
	}
	p.tests = slices.DeleteFunc(strings.Fields(string(out)), func(test string) bool {
		return strings.HasPrefix(test, "Benchmark")
	})
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	for _, test := range p.tests {
		if _, err := os.Stat(filepath.Join(cache, test+".time")); err == nil {
			continue
		}
		began := time.Now()
		one := exec.Command(binary, "-test.run", "^"+test+"$", "-test.coverprofile", filepath.Join(cache, test))
		one.Dir = p.tested
		if out, err := one.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %s fails without any mutant: %w\n%s", p.folder, test, err, out)
		}
		took := time.Since(began).String()
		if err := os.WriteFile(filepath.Join(cache, test+".time"), []byte(took), 0o600); err != nil {
			return err
		}
	}
	return nil
}

var profileLine = regexp.MustCompile(`(?m)^(.*):(\d+)\.(\d+),(\d+)\.(\d+) \d+ (\d+)$`)

// readProfile adds a test to the blocks that it reaches.
func (p *pkg) readProfile(cache, test string) error {
	profile, err := os.ReadFile(filepath.Join(cache, test))
	if err != nil {
		return err
	}
	took, err := os.ReadFile(filepath.Join(cache, test+".time"))
	if err != nil {
		return err
	}
	if p.took[test], err = time.ParseDuration(string(took)); err != nil {
		return err
	}
	for _, l := range profileLine.FindAllStringSubmatch(string(profile), -1) {
		file := filepath.Join(p.folder, filepath.Base(l[1]))
		var n [4]int
		for i := range n {
			n[i], _ = strconv.Atoi(l[i+2])
		}
		b := block{fromLine: n[0], fromColumn: n[1], toLine: n[2], toColumn: n[3]}
		at := slices.IndexFunc(p.blocks[file], func(o block) bool {
			return o.fromLine == b.fromLine && o.fromColumn == b.fromColumn && o.toLine == b.toLine &&
				o.toColumn == b.toColumn
		})
		if at < 0 {
			at = len(p.blocks[file])
			p.blocks[file] = append(p.blocks[file], b)
		}
		if l[6] != "0" {
			p.blocks[file][at].tests = append(p.blocks[file][at].tests, test)
		}
	}
	return nil
}

// testsFor returns the tests that reach a mutant: those of its block. Some expressions are in no block, those of case
// clauses for example; there they are the tests that reach the function. Outside of functions all tests count.
func (p *pkg) testsFor(m *mutant) []string {
	if m.function == "" {
		return p.tests
	}
	at := p.position(m)
	function := p.functionAt(m.file, m.start)
	from, to := p.fset.Position(function.Pos()), p.fset.Position(function.End())
	found := map[string]bool{}
	for _, b := range p.blocks[m.file] {
		if comparePlaces(b.fromLine, b.fromColumn, at) <= 0 && comparePlaces(b.toLine, b.toColumn, at) > 0 {
			return b.tests
		}
		if comparePlaces(b.fromLine, b.fromColumn, from) >= 0 && comparePlaces(b.toLine, b.toColumn, to) <= 0 {
			for _, test := range b.tests {
				found[test] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func comparePlaces(line, column int, p token.Position) int {
	return cmp.Or(cmp.Compare(line, p.Line), cmp.Compare(column, p.Column))
}

func (p *pkg) position(m *mutant) token.Position {
	file := p.fset.File(p.files[m.file].FileStart)
	return file.Position(file.Pos(m.start))
}

func (p *pkg) functionAt(path string, offset int) *ast.FuncDecl {
	file := p.fset.File(p.files[path].FileStart)
	for _, d := range p.files[path].Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && file.Offset(f.Pos()) <= offset && offset < file.Offset(f.End()) {
			return f
		}
	}
	return nil
}

// mutants returns all mutants of the package, in the order of the code.
func (p *pkg) mutants() (all []*mutant) {
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		m := mutator{pkg: p, path: path, file: p.fset.File(p.files[path].FileStart)}
		ast.PreorderStack(p.files[path], nil, func(n ast.Node, parents []ast.Node) bool {
			m.node(n, parents)
			return true
		})
		all = append(all, m.all...)
	}
	return all
}

// A mutator makes the mutants of one file.
type mutator struct {
	pkg      *pkg
	path     string
	file     *token.File
	function string
	all      []*mutant
}

// replace adds a mutant in which a piece of code is replaced.
func (m *mutator) replace(operator string, from, to token.Pos, text string) *mutant {
	made := &mutant{
		pkg:      m.pkg,
		file:     m.path,
		line:     m.file.Line(from),
		start:    m.file.Offset(from),
		end:      m.file.Offset(to),
		text:     text,
		operator: operator,
	}
	if f := m.pkg.functionAt(m.path, made.start); f != nil {
		made.function = functionName(f)
	}
	m.all = append(m.all, made)
	return made
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.IndexExpr:
			receiver = t.X
		case *ast.IndexListExpr:
			receiver = t.X
		case *ast.Ident:
			return t.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

// source returns the text of a node.
func (m *mutator) source(n ast.Node) string {
	return string(m.pkg.source[m.path][m.file.Offset(n.Pos()):m.file.Offset(n.End())])
}

// typeOf returns the type of an expression; nil if it has none.
func (m *mutator) typeOf(e ast.Expr) types.Type { return m.pkg.info.Types[e].Type }

func (m *mutator) isError(e ast.Expr) bool {
	t := m.typeOf(e)
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

func (m *mutator) isString(e ast.Expr) bool {
	t := m.typeOf(e)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func (m *mutator) isConstant(e ast.Expr) bool { return m.pkg.info.Types[e].Value != nil }

// node adds the mutants of one node.
func (m *mutator) node(n ast.Node, parents []ast.Node) {
	switch n := n.(type) {
	case *ast.CallExpr:
		m.call(n, parents)
	case *ast.BinaryExpr:
		m.comparison(n)
	case *ast.IfStmt:
		m.condition(n)
	case *ast.BasicLit:
		m.literal(n, parents)
	case *ast.ReturnStmt:
		m.result(n)
	case *ast.DeferStmt:
		if closing.MatchString(calledName(n.Call)) {
			m.replace("close", n.Pos(), n.End(), "")
		}
	case *ast.BlockStmt:
		m.statements(n.List)
	case *ast.CaseClause:
		m.statements(n.Body)
	case *ast.CommClause:
		m.statements(n.Body)
	}
}

// Names of calls, by what they do.
var (
	syncing  = regexp.MustCompile(`(?i)^(f?sync|sync(folder|dir|file))$`)
	closing  = regexp.MustCompile(`(?i)^(close|unlock|stop|cancel|release|done|rollback|cleanup)$|^$`)
	sending  = regexp.MustCompile(`^(?:[sS]end|Do|[wW]rite|sendOnce|RoundTrip|RecordIntent|Put)$`)
	cleaning = regexp.MustCompile(
		`(?i)^(clean.*|show|strip.*|redact.*|mask.*|sanitize.*|displayable|escape.*|quote|scopes|` +
			`hide.*|truncate|oneline)$`,
	)
	ordered = regexp.MustCompile(
		`(?i)sync|rename|remove|record|write|close|send|truncate|lock|settle|^do$|flush|apply|` +
			`clear|reset|enter|leave`,
	)
	modes = regexp.MustCompile(`(?i)restore|reset|leave|disable|hide|showcursor|mode|resume|suspend`)
	reset = regexp.MustCompile(`\\x1b\[[0-9;?]*[a-zA-Z]`)
)

// calledName returns the last part of what is called; "" for a function literal.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// call adds the mutants of a call: an fsync that is dropped, a file that stays open, a text that is not cleaned, a
// bound that is swapped.
func (m *mutator) call(call *ast.CallExpr, parents []ast.Node) {
	name := calledName(call)
	for operator, names := range map[string]*regexp.Regexp{"fsync": syncing, "close": closing} {
		if name != "" && names.MatchString(name) && m.isError(call) {
			if _, statement := parents[len(parents)-1].(*ast.ExprStmt); !statement {
				m.replace(operator, call.Pos(), call.End(), "error(nil)")
			}
		}
	}
	if cleaning.MatchString(name) && m.isString(call) {
		for _, a := range call.Args {
			if m.isString(a) && !m.isConstant(a) {
				m.replace("clean", call.Pos(), call.End(), "string("+m.source(a)+")")
				break
			}
		}
	}
	if f, ok := call.Fun.(*ast.SelectorExpr); ok && name == "String" && m.hasRaw(f.X) {
		m.replace("clean", f.Sel.Pos(), f.Sel.End(), "Raw")
	}
	if _, builtin := m.pkg.info.Uses[identOf(call.Fun)].(*types.Builtin); builtin && (name == "min" || name == "max") {
		m.replace("bound", call.Fun.Pos(), call.Fun.End(), map[string]string{"min": "max", "max": "min"}[name])
		if len(call.Args) == 2 {
			m.replace("bound", call.Pos(), call.End(), m.source(call.Args[0]))
		}
	}
}

func identOf(e ast.Expr) *ast.Ident {
	i, _ := e.(*ast.Ident)
	return i
}

// hasRaw reports whether an expression is a text from a server.
func (m *mutator) hasRaw(e ast.Expr) bool {
	t := m.typeOf(e)
	if t == nil {
		return false
	}
	method, _, _ := types.LookupFieldOrMethod(t, true, m.pkg.types, "Raw")
	_, ok := method.(*types.Func)
	return ok
}

// wider maps comparisons to those that differ at the bound.
var wider = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.LAND: "||", token.LOR: "&&",
}

// comparison adds the mutants of a comparison: one that includes the bound or leaves it out, one without case, one of
// eight characters only.
func (m *mutator) comparison(n *ast.BinaryExpr) {
	if other, ok := wider[n.Op]; ok {
		m.replace("compare", n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), other)
	}
	if n.Op == token.SUB && m.isLength(n.X) {
		m.replace("bound", n.OpPos, n.End(), "")
	}
	if n.Op != token.EQL && n.Op != token.NEQ || !m.isFreeText(n.X) || !m.isFreeText(n.Y) {
		return
	}
	x, y, not := m.source(n.X), m.source(n.Y), map[token.Token]string{token.EQL: "", token.NEQ: "!"}[n.Op]
	if filepath.Dir(m.path) == "client" || !isID(n.X) && !isID(n.Y) {
		text := fmt.Sprintf("%smutantStrings.EqualFold(%s, %s)", not, x, y)
		m.replace("case", n.Pos(), n.End(), text).needsStrings = true
	}
	text := fmt.Sprintf("%smutantStrings.HasPrefix(%[2]s, %[3]s[:min(8, len(%[3]s))])", not, x, y)
	m.replace("prefix", n.Pos(), n.End(), text).needsStrings = true
}

// isID reports whether an expression is an id or an operation. Outside of the client, which also knows names as ids,
// they have no letters in two cases.
func isID(e ast.Expr) bool {
	name := ""
	switch e := e.(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		name = e.Sel.Name
	}
	return slices.Contains([]string{"id", "ID", "intentID", "IntentID", "op", "Op", "Scheduled", "Repeats"}, name)
}

// isLength reports whether an expression is len(x).
func (m *mutator) isLength(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && calledName(call) == "len"
}

// isFreeText reports whether an expression is a string of any value: neither a constant nor one of a type of its own,
// which has few values.
func (m *mutator) isFreeText(e ast.Expr) bool {
	t := m.typeOf(e)
	return t != nil && types.Identical(t, types.Typ[types.String]) && !m.isConstant(e)
}

// condition adds the mutants of an if: an error that is ignored, a condition that is negated.
func (m *mutator) condition(n *ast.IfStmt) {
	text := "(" + m.source(n.Cond) + ")"
	if b, ok := n.Cond.(*ast.BinaryExpr); ok && b.Op == token.NEQ && m.isError(b.X) && m.source(b.Y) == "nil" {
		m.replace("error", n.Cond.Pos(), n.Cond.End(), text+" && false")
		return
	}
	m.replace("negate", n.Cond.Pos(), n.Cond.End(), "!"+text)
}

// literal adds the mutants of a constant: a bound that is off by one, a mode of the terminal that stays on.
func (m *mutator) literal(n *ast.BasicLit, parents []ast.Node) {
	switch n.Kind {
	case token.INT:
		switch parents[len(parents)-1].(type) {
		case *ast.SliceExpr, *ast.IndexExpr, *ast.ValueSpec:
			m.replace("bound", n.Pos(), n.End(), "("+n.Value+" + 1)")
		}
	case token.STRING:
		for _, at := range reset.FindAllStringIndex(n.Value, -1) {
			m.replace("mode", n.Pos(), n.End(), n.Value[:at[0]]+n.Value[at[1]:])
		}
	}
}

// result adds a mutant that returns nothing instead of something.
func (m *mutator) result(n *ast.ReturnStmt) {
	for _, e := range n.Results {
		zero := m.zero(e)
		if zero != "" && m.source(e) != zero {
			m.replace("zero", e.Pos(), e.End(), zero)
		}
	}
}

// zero returns the zero value of an expression's type, or the opposite of a constant truth; "" if it cannot be written.
func (m *mutator) zero(e ast.Expr) string {
	t := m.typeOf(e)
	if t == nil {
		return ""
	}
	switch v := m.pkg.info.Types[e].Value; {
	case v == nil:
	case v.Kind() == constant.Bool:
		return strconv.FormatBool(!constant.BoolVal(v))
	case v.ExactString() == "0" || v.ExactString() == `""`:
		return "" // a name of the zero value
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return `""`
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsNumeric != 0:
			return "0"
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Signature, *types.Interface, *types.Chan:
		if _, parameter := t.(*types.TypeParam); !parameter && u != types.Typ[types.UntypedNil] {
			return "nil"
		}
	}
	return ""
}

// statements adds the mutants of a list of statements: one that is missing, one that is sent twice, two in the wrong
// order.
func (m *mutator) statements(list []ast.Stmt) {
	for i, s := range list {
		call := statementCall(s)
		if m.isDeletable(s) {
			operator := "delete"
			switch {
			case call == nil:
			case closing.MatchString(calledName(call)):
				operator = "close"
			case syncing.MatchString(calledName(call)):
				operator = "fsync"
			case strings.HasPrefix(m.path, "ui/") && modes.MatchString(calledName(call)):
				operator = "mode"
			}
			m.replace(operator, s.Pos(), s.End(), "")
		}
		if call != nil && sending.MatchString(calledName(call)) && strings.HasPrefix(m.path, "client/") {
			m.repeat(s)
		}
		if i+1 < len(list) && m.isOrdered(s) && m.isOrdered(list[i+1]) {
			m.replace("order", s.Pos(), list[i+1].End(), m.source(list[i+1])+"\n"+m.source(s))
		}
	}
}

// statementCall returns the call that a statement consists of, alone or with an assignment; nil if there is none.
func statementCall(s ast.Stmt) *ast.CallExpr {
	var e ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		e = s.X
	case *ast.AssignStmt:
		e = s.Rhs[0]
	case *ast.IfStmt:
		if a, ok := s.Init.(*ast.AssignStmt); ok {
			e = a.Rhs[0]
		}
	}
	call, _ := e.(*ast.CallExpr)
	return call
}

func (m *mutator) isDeletable(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt:
		return true
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE && m.source(s.Lhs[0]) != "_"
	}
	return false
}

// isOrdered reports whether a statement does something whose order matters.
func (m *mutator) isOrdered(s ast.Stmt) bool {
	if _, ok := s.(*ast.DeferStmt); ok {
		return false
	}
	call := statementCall(s)
	return call != nil && ordered.MatchString(calledName(call))
}

// repeat adds a mutant that does a statement twice.
func (m *mutator) repeat(s ast.Stmt) {
	m.replace("repeat", s.Pos(), s.Pos(), m.source(statementCall(s))+"\n")
}

// write returns the whole text of the mutant's file.
func (m *mutant) write() []byte {
	source := m.pkg.source[m.file]
	text := slices.Concat(source[:m.start], []byte(m.text), source[m.end:])
	if m.needsStrings {
		at := m.pkg.fset.File(m.pkg.files[m.file].FileStart).Offset(m.pkg.files[m.file].Name.End())
		text = slices.Concat(text[:at], []byte(`; import mutantStrings "strings"`), text[at:])
	}
	return text
}

// run compiles the mutant and runs the tests that reach it. If they do not end in time, they run once more with four
// times as much, because the machine may be busy.
func (m *mutant) run(work string) (result, error) {
	folder, err := os.MkdirTemp(work, "")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	changed, overlay := filepath.Join(folder, "m.go"), filepath.Join(folder, "o")
	binary := filepath.Join(folder, "m.test")
	replaced, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(m.pkg.Dir, filepath.Base(m.file)): changed},
	})
	if err != nil {
		return 0, err
	}
	if err := errors.Join(os.WriteFile(changed, m.write(), 0o600), os.WriteFile(overlay, replaced, 0o600)); err != nil {
		return 0, err
	}
	build := exec.Command("go", "test", "-c", "-overlay", overlay, "-ldflags=-s -w", "-o", binary,
		"./"+m.pkg.tested)
	if build.Run() != nil {
		return invalid, nil
	}
	tests := m.pkg.testsFor(m)
	limit := 6 * time.Second
	for _, test := range tests {
		limit += 4 * m.pkg.took[test]
	}
	outcome, err := m.runTests(binary, filepath.Join(folder, "1"), tests, limit)
	if outcome == timedOut && err == nil {
		outcome, err = m.runTests(binary, filepath.Join(folder, "2"), tests, 4*limit)
	}
	return outcome, err
}

// runTests runs tests of a compiled mutant, with a new folder for their temporary files.
func (m *mutant) runTests(binary, temporary string, tests []string, limit time.Duration) (result, error) {
	if err := os.Mkdir(temporary, 0o700); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	test := exec.CommandContext(ctx, binary, "-test.failfast", "-test.run", "^("+strings.Join(tests, "|")+")$")
	test.Dir = m.pkg.tested
	test.Env = append(os.Environ(), "TMPDIR="+temporary)
	test.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with its own children, which end with it
	test.Cancel = func() error { return syscall.Kill(-test.Process.Pid, syscall.SIGKILL) }
	test.WaitDelay = 2 * time.Second
	err := test.Run()
	_ = syscall.Kill(-test.Process.Pid, syscall.SIGKILL)
	switch {
	case ctx.Err() != nil:
		return timedOut, nil
	case err != nil:
		return killed, nil
	}
	return survived, nil
}

// lines returns the lines before and after the change, without indentation.
func (m *mutant) lines() (before, after []string) {
	source := m.pkg.source[m.file]
	from := bytes.LastIndexByte(source[:m.start], '\n') + 1
	to := len(source)
	if n := bytes.IndexByte(source[m.end:], '\n'); n >= 0 {
		to = m.end + n
	}
	split := func(text string) (lines []string) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		return lines
	}
	after = split(string(source[from:m.start]) + m.text + string(source[m.end:to]))
	return split(string(source[from:to])), after
}

// key identifies the mutant as long as its lines do not change.
func (m *mutant) key() string {
	before, after := m.lines()
	text := m.file + " " + m.function + "\n"
	for _, line := range before {
		text += "- " + line + "\n"
	}
	for _, line := range after {
		text += "+ " + line + "\n"
	}
	return text
}

// String returns the place of the mutant, its operator and its change.
func (m *mutant) String() string {
	place, lines, _ := strings.Cut(strings.TrimSuffix(m.key(), "\n"), "\n")
	_, function, _ := strings.Cut(place, " ")
	return fmt.Sprintf("%s:%d %s (%s)\n%s", m.file, m.line, function, m.operator, lines)
}

// readEquivalents reads the mutants that change nothing, with the reasons. A paragraph is the file and the function,
// the lines before (-) and after (+), and the reason.
func readEquivalents() (map[string]string, error) {
	data, err := os.ReadFile(equivalentsFile)
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	for paragraph := range strings.SplitSeq(string(data), "\n\n") {
		var key, reason string
		for line := range strings.Lines(strings.Trim(paragraph, "\n") + "\n") {
			if strings.HasPrefix(line, "#") {
				continue
			}
			if key == "" || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "+ ") {
				key += line
			} else {
				reason += line
			}
		}
		if key != "" && reason == "" {
			return nil, fmt.Errorf("%s: no reason for\n%s", equivalentsFile, key)
		}
		if key != "" {
			known[key] = reason
		}
	}
	return known, nil
}

// A report counts what became of the mutants.
type report struct {
	seed                uint64
	began               time.Time
	known               map[string]string // the mutants that change nothing
	found               map[string]bool   // those that still exist
	run                 int
	invalid, equivalent int
	byOperator, byPkg   map[string]*tally
	survivors, late     []*mutant // late are those that only the time limit ended
}

// A tally is one row of the report.
type tally struct{ all, reached, run, killed, timedOut int }

func newReport(seed uint64, known map[string]string) *report {
	return &report{
		seed:       seed,
		began:      time.Now(),
		known:      known,
		found:      map[string]bool{},
		byOperator: map[string]*tally{},
		byPkg:      map[string]*tally{},
	}
}

// rows returns the rows that a mutant counts in.
func (r *report) rows(m *mutant) [2]*tally {
	for by, name := range map[*map[string]*tally]string{&r.byOperator: m.operator, &r.byPkg: m.pkg.folder} {
		if (*by)[name] == nil {
			(*by)[name] = &tally{}
		}
	}
	return [2]*tally{r.byOperator[m.operator], r.byPkg[m.pkg.folder]}
}

// places counts the mutants that could be drawn.
func (r *report) places(p *pkg, mutants []*mutant) {
	for _, m := range mutants {
		key := m.key()
		if _, known := r.known[key]; known {
			r.found[key] = true
		}
		for _, row := range r.rows(m) {
			row.all++
			if len(p.testsFor(m)) > 0 {
				row.reached++
			}
		}
	}
}

func (r *report) isEquivalent(m *mutant) bool {
	_, known := r.known[m.key()]
	if known {
		r.equivalent++
	}
	return known
}

func (r *report) add(m *mutant, outcome result, verbose bool) {
	if outcome == invalid {
		r.invalid++
		return
	}
	r.run++
	for _, row := range r.rows(m) {
		row.run++
		switch outcome {
		case killed:
			row.killed++
		case timedOut:
			row.timedOut++
		}
	}
	switch {
	case outcome == survived:
		r.survivors = append(r.survivors, m)
		fmt.Printf("\nsurvived: %v\n", m)
	case outcome == timedOut:
		r.late = append(r.late, m)
		fmt.Printf("\nended only by the time limit: %v\n", m)
	case verbose:
		fmt.Printf("\nkilled: %v\n", m)
	}
}

// print writes the report, and reports whether enough mutants were killed.
func (r *report) print(names []string) bool {
	for _, table := range []struct {
		title string
		rows  map[string]*tally
	}{{"operator", r.byOperator}, {"package", r.byPkg}} {
		fmt.Printf(
			"\n| %s | places | reached by its tests | mutants | killed by a test | only by the time limit "+
				"| survived |\n",
			table.title,
		)
		fmt.Print("|---|---|---|---|---|---|---|\n")
		for _, name := range slices.Sorted(maps.Keys(table.rows)) {
			t := table.rows[name]
			fmt.Printf(
				"| %s | %d | %d | %d | %d | %d | %d |\n",
				name,
				t.all,
				t.reached,
				t.run,
				t.killed,
				t.timedOut,
				t.run-t.killed-t.timedOut,
			)
		}
	}
	dead := r.run - len(r.survivors)
	took := time.Since(r.began).Round(time.Second)
	fmt.Printf("\nseed %d, %s, %v: %d mutants, %d killed by a failing test, %d only by the time limit, %d survived; "+
		"not counted: %d that do not compile, %d that change nothing\n", r.seed, strings.Join(names, " "), took, r.run,
		dead-len(r.late), len(r.late), len(r.survivors), r.invalid, r.equivalent)
	for key := range r.known {
		file, _, _ := strings.Cut(key, " ")
		if _, read := r.byPkg[filepath.Dir(file)]; read && !r.found[key] {
			fmt.Printf("\nno such mutant any more, remove it from %s:\n%s", equivalentsFile, key)
		}
	}
	if r.run == 0 {
		return true
	}
	share := 100 * float64(dead) / float64(r.run)
	fmt.Printf("%.1f %% killed, %.1f %% by a failing test; %d %% are needed\n", share,
		100*float64(dead-len(r.late))/float64(r.run), needed)
	return share >= needed
}
