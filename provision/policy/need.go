package policy

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Need is one action on a table, an index of it, or its stream.
type Need struct {
	Action string // such as "GetItem" or "ConditionCheckItem"
	Table  string // the name of its schema, without prefix and suffix
	Index  string // "" for the table or the stream
	Own    bool   // the partitions are those of one user
}

// Request returns the request that needs it, for tables of an account.
func (n Need) Request(of Account, partitions ...string) Request {
	return Request{Action: service + n.Action, Resource: of.resource(n), LeadingKeys: partitions}
}

// String returns the form in which needs are stored, such as "Query Bookings/GSI1-UserBookingsIndex own".
func (n Need) String() string {
	text := n.Action + " " + n.Table
	if n.Index != "" {
		text += "/" + n.Index
	}
	if n.Own {
		text += " own"
	}
	return text
}

// UnmarshalText reads the form of [Need.String].
func (n *Need) UnmarshalText(text []byte) error {
	words := strings.Fields(string(text))
	if len(words) < 2 || len(words) > 3 || len(words) == 3 && words[2] != "own" {
		return fmt.Errorf("policy: %q is not an action and a table", text)
	}
	n.Action, n.Own = words[0], len(words) == 3
	n.Table, n.Index, _ = strings.Cut(words[1], "/")
	return nil
}

// MarshalText returns the form of [Need.String].
func (n Need) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// OfPing returns what [dynastay.DB.Ping] needs for these tables, for [Policy.Also].
func OfPing(tables ...*dynastay.Schema) (all []Need) {
	for _, s := range tables {
		all = append(all, Need{Action: "Query", Table: s.Name})
		for _, index := range s.Indexes {
			all = append(all, Need{Action: "Query", Table: s.Name, Index: index.Name})
		}
	}
	return all
}

// OfWalk returns what a walk of package migrate needs for these tables, besides what its function calls, for [Policy.Also]: only the
// role of a walk has Scan.
func OfWalk(tables ...*dynastay.Schema) []Need {
	metadata := keys.MetadataTable.Name
	all := []Need{
		{Action: "Query", Table: metadata}, {Action: "GetItem", Table: metadata}, {Action: "PutItem", Table: metadata},
		{Action: "UpdateItem", Table: metadata}, {Action: "BatchWriteItem", Table: metadata},
	}
	for _, s := range tables {
		all = append(all, Need{Action: "Scan", Table: s.Name})
	}
	return append(all, OfPing(tables...)...)
}

// needsJSON is written by the tests, see CONTRIBUTING.md.
//
//go:embed needs.json
var needsJSON []byte

// recorded are the needs by method, such as "bookings.Repository.Cancel".
// See docs/decisions/0031-permissions.md for where they come from.
var recorded = func() (all map[string][]Need) {
	if err := json.Unmarshal(needsJSON, &all); err != nil {
		panic(err) // the file is not as it was written
	}
	return all
}()

// Methods returns what each method needs, by its name with package and type, such as "bookings.Repository.Cancel".
func Methods() map[string][]Need {
	all := maps.Clone(recorded)
	for method, needs := range all {
		all[method] = slices.Clone(needs)
	}
	return all
}

// Repositories returns the packages of repositories that send requests, sorted.
func Repositories() []string {
	all := map[string]bool{}
	for method := range recorded {
		if method != worker {
			all[repositoryOf(method)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func repositoryOf(method string) string {
	repository, _, _ := strings.Cut(method, ".")
	return repository
}

// ownPrefix begins the partition keys of what belongs to a user: the profile with its preferences and points, and in
// indexes the user's bookings and reviews.
const ownPrefix = "USER#"

// own reports whether all needs are for the partitions of one user.
func own(needs []Need) bool {
	return !slices.ContainsFunc(needs, func(n Need) bool { return !n.Own })
}

var readActions = []string{"GetItem", "BatchGetItem", "Query"}

func writes(needs []Need) bool {
	return slices.ContainsFunc(needs, func(n Need) bool { return !slices.Contains(readActions, n.Action) })
}
