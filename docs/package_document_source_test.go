package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/listingkeys"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// source is a package as it is written.
type source struct {
	funcs    map[string]*ast.FuncDecl // by their names, methods with their types: Guest.declare
	structs  map[string]*ast.StructType
	values   map[string]ast.Expr
	order    []ast.Node
	keys     []string // the types with a Form, in the order in which they are declared
	forms    map[string]string
	comments map[string]string
}

func parse(t *testing.T, dir string) *source {
	p := &source{
		funcs: map[string]*ast.FuncDecl{}, structs: map[string]*ast.StructType{}, values: map[string]ast.Expr{},
		forms: map[string]string{}, comments: map[string]string{},
	}
	files, err := filepath.Glob(filepath.Join(page.Root(t), dir, "*.go"))
	require.NoError(t, err)
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range file.Decls {
			p.order = append(p.order, d)
			p.add(d)
		}
	}
	for _, of := range p.keys {
		p.forms[of] = p.form(p.funcs[of+".Form"])
	}
	return p
}

func (p *source) add(d ast.Decl) {
	if f, ok := d.(*ast.FuncDecl); ok {
		if f.Recv == nil {
			p.funcs[f.Name.Name] = f
			return
		}
		of := typeName(f.Recv.List[0].Type)
		p.funcs[of+"."+f.Name.Name] = f
		if f.Name.Name == "Form" {
			p.keys = append(p.keys, of)
		}
		return
	}
	general := d.(*ast.GenDecl)
	for _, spec := range general.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			p.comments[spec.Name.Name] = general.Doc.Text()
			if s, ok := spec.Type.(*ast.StructType); ok {
				p.structs[spec.Name.Name] = s
			}
		case *ast.ValueSpec:
			for i, name := range spec.Names {
				if i < len(spec.Values) {
					p.values[name.Name] = spec.Values[i]
				}
			}
		}
	}
}

// typeName returns the name of a type of the package, also of a pointer to it or of an instance of it.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return typeName(e.X) + "." + e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// form returns the key that a Form declares, such as USER#{UserID} / PROFILE.
func (p *source) form(f *ast.FuncDecl) string {
	var parts []string
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		var text strings.Builder
		for _, argument := range call.Args {
			value, isValue := argument.(*ast.CallExpr)
			if !isValue {
				prefix, _ := p.text(argument)
				text.WriteString(prefix)
				continue
			}
			if typeName(value.Fun) == "key.Shard" {
				text.WriteString("#SHARD")
			}
			if name, ok := literal(value.Args[0]); ok {
				text.WriteString("{" + name + "}")
			}
		}
		parts = append(parts, text.String())
		return false
	})
	return strings.Join(parts, " / ")
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}

// declared is an entity and its attributes.
type declared struct {
	title, name, key string
	indexes          []string
	attributes       []attribute
}

type attribute struct{ name, kind string }

// entities are those that have a Spec, and the lines of bookings, which have only a codec.
func (p *source) entities(t *testing.T) (all []declared) {
	for _, d := range p.order {
		ast.Inspect(d, func(n ast.Node) bool {
			spec, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			of, ok := spec.Type.(*ast.IndexExpr)
			if !ok || typeName(of.X) != "entity.Spec" && typeName(of.X) != "Spec" {
				return true
			}
			fields := map[string]ast.Expr{}
			for _, e := range spec.Elts {
				field := e.(*ast.KeyValueExpr)
				fields[field.Key.(*ast.Ident).Name] = field.Value
			}
			e := declared{name: typeName(of.Index), attributes: p.codec(t, fields["Codec"])}
			e.key = strings.Join(p.builders(fields["Key"]), ", ")
			e.indexes = p.builders(fields["Indexes"])
			all = append(all, e)
			return false
		})
	}
	if p.funcs["lineCodec"] != nil {
		all = append(all, declared{name: "Line", key: "BookingRoom, BookingRoomLine", attributes: p.codec(t, &ast.CallExpr{Fun: ast.NewIdent("lineCodec")})})
	}
	all = slices.DeleteFunc(all, func(e declared) bool { return len(e.attributes) == 0 })
	for i, e := range all {
		seen := map[string]bool{} // amounts share a currency
		all[i].attributes = slices.DeleteFunc(e.attributes, func(a attribute) bool {
			defer func() { seen[a.name] = true }()
			return seen[a.name]
		})
		all[i].title = e.name
		for _, a := range e.attributes {
			if strings.EqualFold(a.name, "EntityType") {
				all[i].title = strings.Trim(a.kind, "`\"")
			}
		}
	}
	slices.SortStableFunc(all, func(a, b declared) int { return strings.Compare(a.title, b.title) })
	return all
}

// builders are the keys that an expression builds, or the function that it names.
func (p *source) builders(e ast.Expr) (names []string) {
	if e == nil {
		return nil
	}
	look := func(n ast.Node) bool {
		if built, ok := n.(*ast.CompositeLit); ok {
			if of, ok := built.Type.(*ast.SelectorExpr); ok && strings.HasSuffix(typeName(of.X), "keys") && !slices.Contains(names, of.Sel.Name) {
				names = append(names, of.Sel.Name)
			}
		}
		return true
	}
	ast.Inspect(e, look)
	if len(names) > 0 {
		return names
	}
	ast.Inspect(e, func(n ast.Node) bool {
		if f := p.funcs[typeName(asExpr(n))]; f != nil {
			ast.Inspect(f.Body, look)
		}
		return true
	})
	return names
}

func asExpr(n ast.Node) ast.Expr {
	e, _ := n.(ast.Expr)
	if s, ok := e.(*ast.SelectorExpr); ok {
		if of, ok := s.X.(*ast.ParenExpr); ok { // a method expression
			return &ast.SelectorExpr{X: ast.NewIdent(typeName(of.X)), Sel: s.Sel}
		}
	}
	return e
}

// codec returns the attributes that a codec declares: a call of Declare, or a variable or a function that has one.
func (p *source) codec(t *testing.T, e ast.Expr) (all []attribute) {
	switch e := e.(type) {
	case *ast.Ident:
		return p.codec(t, p.values[e.Name])
	case *ast.CallExpr:
		if typeName(e.Fun) == "entity.Declare" {
			f, ok := e.Args[0].(*ast.FuncLit)
			require.True(t, ok)
			return p.declared(t, f.Type.Params.List, f.Body, "")
		}
		if f := p.funcs[typeName(e.Fun)]; f != nil {
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && typeName(call.Fun) == "entity.Declare" {
					all = p.codec(t, call)
				}
				return true
			})
		}
	}
	return all
}

// kinds are how the methods of entity.Fields, and the functions of package entity, store a value.
var kinds = map[string]string{
	"String": "text", "Int": "whole number", "Float": "number", "Bool": "boolean", "Date": "date", "Time": "time",
	"Unix": "time, in Unix seconds", "WriteID": "write id", "Rating": "rating", "Money": "amount", "Amount": "amount",
	"Strings": "list of texts", "Map": "map", "List": "list of maps", "Keyed": "map with a name for each value",
	"Custom": "in a form of its own",
}

// declared returns the attributes that the body of a function declares, in their order.
func (p *source) declared(t *testing.T, parameters []*ast.Field, body *ast.BlockStmt, path string) []attribute {
	variables, fields := map[string]string{}, ""
	for _, parameter := range parameters {
		for _, name := range parameter.Names {
			variables[name.Name] = typeName(parameter.Type)
			if strings.HasSuffix(typeName(parameter.Type), "Fields") {
				fields = name.Name
			}
		}
	}
	return p.walk(t, body, variables, fields, path)
}

func (p *source) walk(t *testing.T, body ast.Node, variables map[string]string, fields, path string) (all []attribute) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		on := typeName(call.Fun)
		if inner, ok := call.Fun.(*ast.SelectorExpr); ok {
			if set, ok := inner.X.(*ast.CallExpr); ok && typeName(set.Fun) == fields+".IfSet" {
				on = fields + "." + inner.Sel.Name
			}
		}
		arguments := call.Args
		receiver, method, isMethod := strings.Cut(on, ".")
		switch {
		case receiver == "entity" && isMethod && len(arguments) > 0 && typeName(arguments[0]) == fields:
			arguments = arguments[1:]
		case receiver == fields && isMethod:
		case slices.ContainsFunc(arguments, func(a ast.Expr) bool { return typeName(a) == fields }):
			all = append(all, p.called(t, call.Fun, variables, path)...)
			return false
		default:
			return true
		}
		kind, known := kinds[method]
		if method == "Const" {
			value, _ := literal(arguments[1])
			kind, known = code(`"`+value+`"`), true
		}
		if !known {
			return true
		}
		name, ok := p.text(arguments[0])
		if !ok {
			written := types.ExprString(arguments[0])
			names, known := computed[written]
			assert.True(t, known, "which attributes are named by %s?", written)
			for _, name := range names {
				all = append(all, attribute{path + name, kind})
			}
			return false
		}
		all = append(all, attribute{path + name, kind})
		if method == "Money" {
			currency, _ := p.text(arguments[1])
			all = append(all, attribute{path + currency, "text, the currency"})
		}
		switch inner := arguments[len(arguments)-1].(type) {
		case *ast.FuncLit:
			if method == "Map" || method == "List" {
				within := map[string]string{}
				for k, v := range variables {
					within[k] = v
				}
				for _, parameter := range inner.Type.Params.List {
					for _, name := range parameter.Names {
						within[name.Name] = typeName(parameter.Type)
					}
				}
				all = append(all, p.walk(t, inner.Body, within, fields, path+name+".")...)
			}
		case *ast.SelectorExpr:
			if method == "Map" {
				all = append(all, p.called(t, inner, variables, path+name+".")...)
			}
		}
		return false
	})
	return all
}

// called returns the attributes that a function or a method of the package declares.
func (p *source) called(t *testing.T, fun ast.Expr, variables map[string]string, path string) []attribute {
	name := typeName(fun)
	if s, ok := fun.(*ast.SelectorExpr); ok {
		name = p.withMethod(p.typeOf(s.X, variables), s.Sel.Name)
	}
	f := p.funcs[name]
	if _, is := fun.(*ast.Ident); is && f == nil {
		return nil // a parameter: the attributes of a setting are those that its caller declares
	}
	require.NotNil(t, f, "the function %s that declares attributes", typeName(fun))
	parameters := f.Type.Params.List
	if f.Recv != nil {
		parameters = append(slices.Clone(f.Recv.List), parameters...)
	}
	return p.declared(t, parameters, f.Body, path)
}

// typeOf returns the type of a variable, or of a field of one.
func (p *source) typeOf(e ast.Expr, variables map[string]string) string {
	switch e := e.(type) {
	case *ast.Ident:
		return variables[e.Name]
	case *ast.SelectorExpr:
		return p.field(p.typeOf(e.X, variables), e.Sel.Name)
	}
	return ""
}

func (p *source) field(of, name string) string {
	if p.structs[of] == nil {
		return ""
	}
	for _, f := range p.structs[of].Fields.List {
		for _, n := range f.Names {
			if n.Name == name {
				return typeName(f.Type)
			}
		}
		if len(f.Names) == 0 {
			if typeName(f.Type) == name {
				return name
			}
			if found := p.field(typeName(f.Type), name); found != "" {
				return found
			}
		}
	}
	return ""
}

// withMethod returns the type's method, or that of a type that it embeds.
func (p *source) withMethod(of, method string) string {
	if p.funcs[of+"."+method] != nil || p.structs[of] == nil {
		return of + "." + method
	}
	for _, f := range p.structs[of].Fields.List {
		if len(f.Names) == 0 {
			if found := p.withMethod(typeName(f.Type), method); p.funcs[found] != nil {
				return found
			}
		}
	}
	return of + "." + method
}

// text returns the value of a text: a literal, or a constant of this package or of keys.
func (p *source) text(e ast.Expr) (string, bool) {
	if s, ok := literal(e); ok {
		return s, true
	}
	switch e := e.(type) {
	case *ast.Ident:
		if v := p.values[e.Name]; v != nil {
			return p.text(v)
		}
	case *ast.SelectorExpr:
		s, ok := constants[typeName(e)]
		return s, ok
	case *ast.BinaryExpr:
		a, known := p.text(e.X)
		b, also := p.text(e.Y)
		return a + b, known && also
	}
	return "", false
}

// computed are the names that are not written at the place where they are declared, by their expressions.
var computed = map[string][]string{
	"keys.PropertiesTable.Key.Partition": nil, // the key, which every item has
	"s.WriteIDName()":                    {"WriteId"},
	"amount.name":                        {"MinBookingAmount", "MaxDiscountAmount"},
	"name":                               {"OverbookedNights"},
	`rating.field + "Rating"`: {
		"OverallRating", "CleanlinessRating", "ComfortRating", "LocationRating", "FacilitiesRating", "StaffRating", "ValueRating",
	},
}

var constants = map[string]string{
	"keys.AttrEntityType": keys.AttrEntityType, "keys.AttrVersion": keys.AttrVersion, "keys.AttrExpiresAt": keys.AttrExpiresAt,
	"keys.AttrStatus": keys.AttrStatus, "keys.AttrCard": keys.AttrCard, "keys.AttrPropertyClosed": keys.AttrPropertyClosed,
	"keys.AttrCurrency": keys.AttrCurrency, "listingkeys.AttrWriteID": listingkeys.AttrWriteID, "venuekeys.AttrWriteID": venuekeys.AttrWriteID,
}
