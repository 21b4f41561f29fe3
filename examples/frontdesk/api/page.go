package api

import (
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dynastay/dynastay"
)

// Page is the part of a request that asks for a page of a list.
type Page struct {
	Limit int    `query:"limit" minimum:"1" maximum:"50" default:"20"`
	After string `query:"after" doc:"Where the page begins: follow the Link of the page before."`
	url   url.URL
}

// Resolve keeps the address of the request, for the link to the next page.
func (p *Page) Resolve(ctx huma.Context) []error {
	p.url = ctx.URL()
	return nil
}

func (p *Page) paging() dynastay.Paging {
	return dynastay.Paging{Limit: p.Limit, After: dynastay.Cursor(p.After)}
}

// next returns the header Link that leads to the next page, or "".
func (p *Page) next(after dynastay.Cursor) string {
	if after == "" {
		return ""
	}
	q := p.url.Query()
	q.Set("after", string(after))
	return "<" + p.url.Path + "?" + q.Encode() + `>; rel="next"`
}
