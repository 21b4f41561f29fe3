// Package docs_test writes what the source knows into the page of the model.
package docs_test

import (
	"fmt"
	"go/doc"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/listingkeys"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

const model = "docs/model.md"

// Tables are what a service creates: keys, indexes, and what an index contains. These tests are not parallel: with -update,
// they write one page.
func TestTablesOfTheModel(t *testing.T) {
	var rows [][]string
	for _, s := range append(keys.Tables(), listingkeys.Table, venuekeys.Table) {
		rows = append(rows, []string{"**" + s.Name + "**", code(s.Key.Partition) + ", " + code(s.Key.Sort), "everything" + settings(s)})
		for _, index := range s.Indexes {
			rows = append(rows, []string{index.Name, code(index.Key.Partition) + ", " + code(index.Key.Sort), projected(index)})
		}
	}
	page.Section(t, model, "tables", page.Table([]string{"table or index", "key", "what it contains"}, rows))
}

func settings(s *dynastay.Schema) (text string) {
	if s.TTL != "" {
		text += "; items expire at " + code(s.TTL)
	}
	if s.Stream {
		text += "; it has a stream"
	}
	return text
}

func projected(index dynastay.Index) string {
	switch index.Project {
	case dynastay.ProjectKeys:
		return "only keys"
	case dynastay.ProjectInclude:
		return code(strings.Join(index.Include, "`, `"))
	default:
		return "everything"
	}
}

func code(text string) string { return "`" + text + "`" }

// Every key has a builder in one of the packages of keys, whose comment says what it is the key of.
func TestKeysOfTheModel(t *testing.T) {
	for _, dir := range []string{"keys", "keys/listingkeys", "keys/venuekeys"} {
		p := parse(t, dir)
		var rows [][]string
		for _, name := range p.keys {
			partition, sort, _ := strings.Cut(p.forms[name], " / ")
			what, _, _ := strings.Cut(new(doc.Package).Synopsis(p.comments[name]), ":")
			what = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(what, name+" "), "is "), ".")
			rows = append(rows, []string{code(name), strings.NewReplacer("[", "", "]", "").Replace(what), code(partition), code(sort)})
		}
		assert.NotEmpty(t, rows)
		page.Section(t, model, "keys of "+dir, page.Table([]string{"builder", "what it is", "partition key", "sort key"}, rows))
	}
}

// Every entity declares its attributes in one function, from which they are read here.
func TestAttributesOfTheModel(t *testing.T) {
	for _, dir := range []string{
		"properties", "availability", "bookings", "users", "reviews", "properties/catalog", "entity/stream/consumer", "migrate",
		"availability/listing", "availability/charges", "availability/units", "bookings/venue",
	} {
		p := parse(t, dir)
		var text strings.Builder
		for _, e := range p.entities(t) {
			var rows [][]string
			for _, a := range e.attributes {
				rows = append(rows, []string{code(a.name), a.kind})
			}
			require.NotEmpty(t, rows, e.name)
			fmt.Fprintf(&text, "\n### %s\n\nIn Go `%s.%s`", e.title, filepath.Base(dir), e.name)
			if e.key != "" {
				fmt.Fprintf(&text, ", with the key `%s`", e.key)
			}
			if len(e.indexes) > 0 {
				fmt.Fprintf(&text, " and the index rows `%s`", strings.Join(e.indexes, "`, `"))
			}
			fmt.Fprintf(&text, ".\n\n%s", page.Table([]string{"attribute", "value"}, rows))
		}
		page.Section(t, model, "attributes of "+dir, text.String())
	}
}
