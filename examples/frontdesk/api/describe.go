package api

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dynastay/dynastay/examples/frontdesk/signin"
)

const (
	costs             = "X-Cost" // a header
	anyProblem        = "Problem"
	contentOfProblems = "application/problem+json"
)

// configured returns what the description has beside the operations. Whatever fails, huma's own checks too, is answered with a problem.
func configured() huma.Config {
	config := huma.DefaultConfig("Front desk", "1.0.0")
	config.DocsPath = "" // its page would load scripts of others
	config.SchemasPath = ""
	config.CreateHooks = nil // no links to schemas in the answers
	config.Transformers = []huma.Transformer{asProblem}
	config.OnAddOperation = []huma.AddOpFunc{complete}
	c := config.Components
	c.SecuritySchemes = map[string]*huma.SecurityScheme{signin.Cookie: {
		Type: "apiKey", In: "cookie", Name: signin.Cookie, Description: "The cookie that POST /v1/session sets.",
	}}
	c.Headers = map[string]*huma.Header{costs: {
		Description: "What the answer cost at DynamoDB.",
		Schema:      &huma.Schema{Type: huma.TypeString, Examples: []any{"2 requests, 1.5 read units, 6 write units"}},
	}}
	c.Schemas.RegisterTypeAlias(reflect.TypeFor[huma.ErrorModel](), reflect.TypeFor[problem]())
	content := map[string]*huma.MediaType{contentOfProblems: {Schema: c.Schemas.Schema(reflect.TypeFor[problem](), true, "")}}
	c.Responses = map[string]*huma.Response{
		anyProblem: {Description: "Any other problem. After 500 and 503, the client may try again.", Content: content, Headers: costly()},
	}
	for _, status := range []int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict,
		http.StatusPreconditionFailed, http.StatusUnprocessableEntity,
	} {
		c.Responses[nameOf(status)] = &huma.Response{Description: http.StatusText(status), Content: content, Headers: costly()}
	}
	return config
}

func costly() map[string]*huma.Header {
	return map[string]*huma.Header{costs: {Ref: "#/components/headers/" + costs}}
}

// complete describes what huma does not know of an operation: that its answers say what they cost, and that no list is null, although a
// slice of Go may be nil.
func complete(doc *huma.OpenAPI, op *huma.Operation) {
	for _, r := range op.Responses {
		if r.Ref == "" {
			headers := costly()
			maps.Copy(headers, r.Headers)
			r.Headers = headers
		}
	}
	for _, p := range op.Parameters {
		p.Schema.Nullable = false
	}
	for _, s := range doc.Components.Schemas.Map() {
		for _, p := range s.Properties {
			p.Nullable = p.Nullable && p.Type != huma.TypeArray
		}
	}
}

// operation describes an operation of the API, with the statuses of its own problems. [handle] adds those that many have.
func operation(id, method, path, summary string, status int, mayFail ...int) huma.Operation {
	op := huma.Operation{
		OperationID: id, Method: method, Path: path, Summary: summary, DefaultStatus: status, Responses: map[string]*huma.Response{},
	}
	fails(&op, mayFail...)
	return op
}

// fails adds statuses of problems to an operation.
func fails(op *huma.Operation, statuses ...int) {
	for _, status := range statuses {
		op.Responses[strconv.Itoa(status)] = shared(nameOf(status))
	}
}

// shared is an answer that operations share, so that a generated client has one type for it.
func shared(name string) *huma.Response { return &huma.Response{Ref: "#/components/responses/" + name} }

func nameOf(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }

// handle registers a handler. Its errors are answered with their problems.
func handle[I, O any](a huma.API, op huma.Operation, serve func(context.Context, *I) (*O, error)) {
	if by, is := any(*new(I)).(interface {
		security() []map[string][]string
	}); is {
		if op.Security = by.security(); len(op.Security) == 1 {
			fails(&op, http.StatusUnauthorized)
		}
	}
	if op.Method != http.MethodGet {
		fails(&op, http.StatusForbidden) // if a page of another site sends it
	}
	op.Responses["default"] = shared(anyProblem)
	huma.Register(a, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := serve(ctx, in)
		if err != nil {
			return nil, problemOf(ctx, err)
		}
		return out, nil
	})
}
