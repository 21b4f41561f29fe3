package dynastay_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/fake"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// TestNames lists the names that are identity, in testdata/names.json: those of operations, which enter the hash of an
// idempotency key, and those of queries and tables, which enter every cursor. If one of them changes, or if the input
// of an operation does, the retries and the lists that are under way at a deployment fail.
//
// A rename may change its own entries, in a commit of its own that says so. The list freezes with the first release:
// from then on, entries are only added.
//
// The names are those in the source. Every exported method of the library that returns an operation or a list has a
// sample in namedSamples, from which its hash or its cursor is computed.
func TestNames(t *testing.T) {
	t.Parallel()
	source := readSource(t)
	golden := map[string]*namesOfPart{"entity.Table": {}}
	for part := range source.parts {
		golden[part] = source.list(part)
	}

	var sampled []string
	for _, s := range namedSamples(dynastay.Open(fake.Client{Do: oneItem}, &dynastay.Options{Clock: fixture.Clock})) {
		of := reflect.TypeOf(s.on).Elem()
		dir := strings.TrimPrefix(of.PkgPath(), module)
		method := dir + "." + strings.Split(of.Name(), "[")[0] + "." + s.method
		sampled = append(sampled, method)
		part := partOf(dir)
		if s.own {
			part = "entity.Table"
		}
		got := golden[part]
		result := callSample(t, method, s)
		name, value := s.query, ""
		if op, ok := result.Interface().(dynastay.Part); ok {
			var err error
			name, value, err = dynastay.KeyedAs(op)
			require.NoError(t, err, method)
			add(&got.Operations, name, value)
			if takesUpdateOptions(s) {
				s.args = append(slices.Clone(s.args), dynastay.IdempotencyKey("k"))
				keyed := callSample(t, method, s).Interface().(dynastay.Part)
				assert.True(t, dynastay.HasKey(keyed), "%s must pass its options on", method)
			}
		} else {
			value = cursorOf(t, method, result)
			add(&got.Queries, name, value)
		}
		assert.True(t, s.own || source.has(part, name), "%s is named %q, which is not in the source", method, name)
		isSampled := func(other string) bool { return other == name }
		got.Unsampled, got.Errors = slices.DeleteFunc(got.Unsampled, isSampled), slices.DeleteFunc(got.Errors, isSampled)
	}
	slices.Sort(sampled)
	assert.Equal(t, slices.Sorted(maps.Keys(source.methods)), slices.Compact(sampled), "every method that returns an operation or a list needs a sample")
	for _, method := range source.writers {
		assert.True(t, source.methods[method+"Op"] || coveredBy[method] != "", "%s takes write options: its operation needs a sample", method)
	}
	compareGolden(t, filepath.Join("testdata", "names.json"), golden)
}

const module = "github.com/dynastay/dynastay/"

// coveredBy are the methods that take write options, but have no method of their own for the operation.
var coveredBy = map[string]string{
	"reviews.Repository.Delete": "it accepts no idempotency key",
}

// namesOfPart are the names in the library, or in one of the examples.
type namesOfPart struct {
	Operations map[string]string `json:",omitempty"` // with the hashes of their samples; "" if there can be no key
	Queries    map[string]string `json:",omitempty"` // with the cursors of their samples
	// Unsampled are operations that a caller cannot write with a key, and queries whose cursors no caller gets. Those of
	// the examples are all here.
	Unsampled []string          `json:",omitempty"`
	Errors    []string          `json:",omitempty"` // names that are only in errors
	Derived   map[string]string `json:",omitempty"` // the names of operations on an entity, by their prefix
	Schemas   map[string]string `json:",omitempty"` // the tables, with their indexes
}

// add adds a value to those of a name.
func add(all *map[string]string, name, value string) {
	if *all == nil {
		*all = map[string]string{}
	}
	values := strings.Fields((*all)[name])
	if value != "" && !slices.Contains(values, value) {
		values = append(values, value)
	}
	(*all)[name] = strings.Join(values, " ")
}

// takesUpdateOptions reports whether an idempotency key can be passed to the method of a sample.
func takesUpdateOptions(s namedSample) bool {
	method := reflect.ValueOf(s.on).MethodByName(s.method).Type()
	return method.IsVariadic() && method.In(method.NumIn()-1) == reflect.TypeFor[[]dynastay.UpdateOption]()
}

// callSample calls the method of a sample.
func callSample(t *testing.T, name string, s namedSample) reflect.Value {
	t.Helper()
	method := reflect.ValueOf(s.on).MethodByName(s.method)
	require.True(t, method.IsValid(), "there is no %s", name)
	in := make([]reflect.Value, len(s.args))
	for i, arg := range s.args {
		if in[i] = reflect.ValueOf(arg); arg == nil {
			in[i] = reflect.Zero(method.Type().In(i))
		}
	}
	return method.Call(in)[0]
}

// cursorOf returns the cursor after the first item of a list.
func cursorOf(t *testing.T, name string, list reflect.Value) string {
	t.Helper()
	page := list.MethodByName("Page").Call([]reflect.Value{
		reflect.ValueOf(t.Context()), reflect.ValueOf(dynastay.Paging{Limit: 1, Reads: 1}),
	})
	next := page[0].FieldByName("Next").String()
	require.NotEmpty(t, next, "%s: %v", name, page[1])
	return next
}

// oneItem is a table or an index of which every query finds one item, and says that others follow unless it is itself a
// continuation.
func oneItem(r *fake.Request) (any, error) {
	in, query := r.In.(*dynamodb.QueryInput)
	if _, batch := r.In.(*dynamodb.BatchGetItemInput); batch || query && len(in.ExclusiveStartKey) > 0 {
		return nil, nil // nothing is found
	}
	item := dynastay.Item{}
	for _, s := range everySchema() {
		if s.Name != *in.TableName {
			continue
		}
		for _, names := range append([]dynastay.KeyNames{s.Key}, indexKeys(s)...) {
			maps.Copy(item, names.Of(dynastay.Key{PK: "partition", SK: "sort"}))
		}
	}
	return &dynamodb.QueryOutput{Items: []map[string]types.AttributeValue{item}, LastEvaluatedKey: item}, nil
}

func indexKeys(s *dynastay.Schema) (all []dynastay.KeyNames) {
	for _, index := range s.Indexes {
		all = append(all, index.Key)
	}
	return all
}

// source is what the source says, without that of the tests.
type source struct {
	parts    map[string]*sourceOfPart
	suffixes []string        // of the operations on an entity
	methods  map[string]bool // exported, that return an operation or a list
	writers  []string        // exported methods that take write options
	consts   map[string]string
}

// sourceOfPart are the names in the source of the library, or of one of the examples.
type sourceOfPart struct {
	names    map[string]bool // true if the name is not only in errors
	prefixes map[string]bool // of the operations on an entity
	schemas  map[string]bool
}

// partOf returns the part of the module that a directory belongs to.
func partOf(dir string) string {
	if elements := strings.Split(dir, "/"); elements[0] == "examples" {
		return strings.Join(elements[:2], "/")
	}
	return "library"
}

func (s *source) has(part, name string) bool {
	_, literal := s.parts[part].names[name]
	i := strings.LastIndex(name, ".")
	return literal || s.parts[part].prefixes[name[:max(i, 0)]]
}

func (s *source) list(part string) *namesOfPart {
	from, all := s.parts[part], &namesOfPart{Derived: map[string]string{}, Schemas: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(from.names)) {
		if from.names[name] {
			all.Unsampled = append(all.Unsampled, name)
		} else {
			all.Errors = append(all.Errors, name)
		}
	}
	for prefix := range from.prefixes {
		for _, suffix := range s.suffixes {
			add(&all.Derived, prefix, prefix+suffix)
		}
	}
	for name := range from.schemas {
		all.Schemas[name] = ""
	}
	for _, schema := range everySchema() {
		if from.schemas[schema.Name] {
			for _, index := range schema.Indexes {
				add(&all.Schemas, schema.Name, index.Name)
			}
		}
	}
	return all
}

// nameLiteral is what the names of operations and queries look like.
var nameLiteral = regexp.MustCompile(`^[a-z]\w*(\.[A-Z]\w*)+$`)

// suffixLiteral is what package entity adds to the prefix of an entity.
var suffixLiteral = regexp.MustCompile(`^\.[A-Z]\w*$`)

func readSource(t *testing.T) *source {
	t.Helper()
	s := &source{parts: map[string]*sourceOfPart{}, methods: map[string]bool{}, consts: map[string]string{}}
	files := map[string]*ast.File{}
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if path == filepath.Join("internal", "testing") || path == "observe" {
			return filepath.SkipDir // they store nothing but in tests
		}
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files[path], err = parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		return err
	}))
	for path, file := range files {
		s.readConsts(dirOf(path), file)
	}
	for path, file := range files {
		s.read(dirOf(path), file)
	}
	slices.Sort(s.suffixes)
	s.suffixes = slices.Compact(s.suffixes)
	return s
}

func dirOf(path string) string { return filepath.ToSlash(filepath.Dir(path)) }

func (s *source) readConsts(dir string, file *ast.File) {
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.CONST {
			for _, spec := range decl.Specs {
				spec := spec.(*ast.ValueSpec)
				for i, value := range spec.Values {
					s.consts[dir+"."+spec.Names[i].Name] = text(value)
				}
			}
		}
	}
}

// value returns the value of a string literal or of a constant of the package, or "".
func (s *source) value(dir string, e ast.Expr) string {
	if name, ok := e.(*ast.Ident); ok {
		return s.consts[dir+"."+name.Name]
	}
	return text(e)
}

func (s *source) part(dir string) *sourceOfPart {
	name := partOf(dir)
	if s.parts[name] == nil {
		s.parts[name] = &sourceOfPart{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	}
	return s.parts[name]
}

func (s *source) read(dir string, file *ast.File) {
	inError, isPrefix := map[ast.Node]bool{}, map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			s.method(dir, n)
		case *ast.CompositeLit:
			switch kind := typeName(n.Type); {
			case kind == "Error":
				inError[field(n, "Op")] = true
			case kind == "Schema":
				if name := s.value(dir, field(n, "Name")); name != "" {
					s.part(dir).schemas[name] = true
				}
			case kind == "Spec" && dir != "entity":
				prefix := operationsOf(n)
				isPrefix[prefix] = true
				if name := s.value(dir, prefix); name != "" {
					s.part(dir).prefixes[name] = true
				}
			}
		case *ast.CallExpr:
			if slices.Contains(failing, typeName(n.Fun)) && len(n.Args) > 0 {
				inError[n.Args[0]] = true
			}
		case *ast.BinaryExpr:
			if suffix := text(n.Y); typeName(n.X) == "Operations" && suffixLiteral.MatchString(suffix) {
				s.suffixes = append(s.suffixes, suffix)
			}
		case *ast.BasicLit:
			if name := text(n); nameLiteral.MatchString(name) && !isPrefix[n] {
				names := s.part(dir).names
				names[name] = names[name] || !inError[n]
			}
		}
		return true
	})
}

// failing are the functions that take a name for an error.
var failing = []string{"notFound", "notApproved", "corrupt", "Must"}

func (s *source) method(dir string, f *ast.FuncDecl) {
	if f.Recv == nil || dir == "." || !f.Name.IsExported() || partOf(dir) != "library" {
		return // the examples have no samples
	}
	of := typeName(f.Recv.List[0].Type)
	if !ast.IsExported(of) {
		return
	}
	name := fmt.Sprintf("%s.%s.%s", dir, of, f.Name.Name)
	if f.Type.Results != nil && isNamed(f.Type.Results.List[0].Type) {
		s.methods[name] = true
	}
	for _, param := range f.Type.Params.List {
		if many, ok := param.Type.(*ast.Ellipsis); ok && typeName(many.Elt) == "WriteOption" {
			s.writers = append(s.writers, name)
		}
	}
}

// isNamed reports whether a type is *dynastay.Operation or dynastay.List.
func isNamed(e ast.Expr) bool {
	if pointer, ok := e.(*ast.StarExpr); ok {
		e = pointer.X
	}
	generic, ok := e.(*ast.IndexExpr)
	if !ok {
		return false
	}
	of, ok := generic.X.(*ast.SelectorExpr)
	return ok && typeName(of.X) == "dynastay" && slices.Contains([]string{"Operation", "List"}, of.Sel.Name)
}

// typeName returns the name of a type, a function or a field, without its package and its arguments.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	}
	return ""
}

// operationsOf returns the prefix of the operations' names in the Spec of an entity or of a catalogue.
func operationsOf(spec *ast.CompositeLit) ast.Expr {
	for _, name := range []string{"Operations", "Type", "Name"} {
		if value := field(spec, name); value != nil {
			return value
		}
	}
	return nil
}

// field returns the value of a field, or nil.
func field(lit *ast.CompositeLit, name string) ast.Expr {
	for _, e := range lit.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok && typeName(pair.Key) == name {
			return pair.Value
		}
	}
	return nil
}

// text returns the value of a string literal, or "".
func text(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		value, _ := strconv.Unquote(lit.Value) // the parser has accepted it
		return value
	}
	return ""
}
