package dyntest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/provision/policy"
)

// Permitted gives the test the permissions of a policy, for the test's own tables: a request that the policy does not
// allow gets an AccessDeniedException. It applies to DB, Client and Streams, and to what [DB.Open] returns, but not to
// Direct. No engine checks permissions, so a service tests with it that its role allows what it sends:
//
//	role := policy.Policy{Role: policy.Application, Repositories: []string{"bookings", "properties"}}
//	db := dyntest.New(t, dyntest.Permitted(role))
func Permitted(policies ...policy.Policy) Option {
	return func(c *config) {
		c.permitted = true
		c.policies = append(c.policies, policies...)
	}
}

// permissions are what a test is permitted.
type permissions struct {
	account   policy.Account
	documents []*policy.Document
}

// newPermissions returns nil if everything is permitted.
func newPermissions(c *config, prefix string) (*permissions, error) {
	if !c.permitted {
		return nil, nil
	}
	p := &permissions{account: policy.Account{Region: "us-east-1", ID: "123456789012", Prefix: prefix}}
	for _, of := range c.policies {
		document, err := of.Document(p.account)
		if err != nil {
			return nil, fmt.Errorf("dyntest: Permitted: %w", err)
		}
		p.documents = append(p.documents, document)
	}
	return p, nil
}

// permit is the stage that refuses what no policy of the test allows.
func (d *DB) permit(x *exchange, next hop) (*http.Response, error) {
	if d.permissions == nil {
		return next(x)
	}
	needs, err := d.needs(x.operation, x.body)
	if err != nil {
		return nil, err
	}
	if len(needs) == 0 {
		needs = []need{{Need: policy.Need{Action: x.operation}}} // it is not valid, and no policy allows it
	}
	for _, n := range needs {
		request := n.Request(d.permissions.account, n.partitions...)
		if n.foreign || !d.permits(n) {
			return (&refusal{
				Type: exception + "AccessDeniedException",
				Message: fmt.Sprintf("User is not authorized to perform: %s on resource: %s because no identity-based policy allows it",
					request.Action, request.Resource),
			}).response(x.Request)
		}
	}
	return next(x)
}

// permits reports whether a policy of the test allows what a request needs.
func (d *DB) permits(n need) bool {
	if n.Table == "" && policy.OfStream(n.Action) { // the iterators of some engines do not say of which table they are
		return slices.ContainsFunc(d.schemas, func(s *dynastay.Schema) bool {
			n.Table = s.Name
			return d.permits(n)
		})
	}
	request := n.Request(d.permissions.account, n.partitions...)
	return slices.ContainsFunc(d.permissions.documents, func(p *policy.Document) bool { return p.Allows(request) })
}

// need is what a request needs a permission for.
type need struct {
	policy.Need
	// partitions are the partition keys that the request names, "" if it names none, or one that is not a string, or in
	// another way than this package understands: that must not count as the partition of a user.
	partitions []string
	foreign    bool // the table is not one of the test's
}

// keyed is a request, or one action of it, as far as it names a partition.
type keyed struct {
	TableName, IndexName      string
	Key, Item                 map[string]map[string]any
	KeyConditionExpression    string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]map[string]any
	StreamArn, ShardIterator  string
	ResourceArn               string // of a table, with tags
}

// Needs returns what requests need permissions for, each once: those of a service's own tables belong into
// [policy.Policy].Also. Use it with [Faults.Record].
func (d *DB) Needs(requests ...Request) ([]policy.Need, error) {
	var all []policy.Need
	for _, r := range requests {
		needs, err := d.needs(r.Operation, r.Body)
		if err != nil {
			return nil, err
		}
		for _, n := range needs {
			if !slices.Contains(all, n.Need) {
				all = append(all, n.Need)
			}
		}
	}
	return all, nil
}

// needs returns what a request needs permissions for, each once.
func (d *DB) needs(operation string, body []byte) ([]need, error) {
	var asked struct {
		keyed
		RequestItems  map[string]json.RawMessage
		TransactItems []map[string]keyed
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	var all []need
	add := func(action, table string, k keyed) {
		if _, name, arn := strings.Cut(table, ":table/"); arn {
			table, _, _ = strings.Cut(name, "/")
		}
		name, ours := strings.CutPrefix(table, d.prefix)
		n := need{
			Need: policy.Need{Action: action, Table: name, Index: k.IndexName}, foreign: table != "" && !ours,
			partitions: []string{d.partition(name, k)},
		}
		i := slices.IndexFunc(all, func(other need) bool { return other.Need == n.Need })
		if i < 0 {
			all = append(all, n)
			return
		}
		all[i].partitions = append(all[i].partitions, n.partitions...)
	}
	if !slices.Contains(ofMany, operation) {
		add(operation, cmp.Or(asked.TableName, asked.ResourceArn, streamTable(asked.StreamArn, asked.ShardIterator)), asked.keyed)
	}
	for table, text := range asked.RequestItems {
		keys, err := batched(operation, text)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			add(operation, table, k)
		}
	}
	for _, actions := range asked.TransactItems {
		for kind, k := range actions {
			add(actionOf[kind], k.TableName, k)
		}
	}
	for i := range all {
		all[i].Own = !slices.ContainsFunc(all[i].partitions, func(p string) bool { return !ownPartition.MatchString(p) })
	}
	return all, nil
}

// ofMany are the operations that need no permission of their own, but one for each of their items.
var ofMany = []string{"BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems"}

// ownPartition is the key of a partition that belongs to one user.
var ownPartition = regexp.MustCompile(`^USER#[^#]*$`)

// actionOf are the permissions that the actions of transactions need.
var actionOf = map[string]string{
	"Get": "GetItem", "Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem",
}

// batched returns the keys and items of a batch for one table.
func batched(operation string, text json.RawMessage) (all []keyed, err error) {
	if operation == "BatchGetItem" {
		var get struct{ Keys []map[string]map[string]any }
		err := json.Unmarshal(text, &get)
		for _, k := range get.Keys {
			all = append(all, keyed{Key: k})
		}
		return all, err
	}
	var writes []map[string]keyed
	err = json.Unmarshal(text, &writes)
	for _, w := range writes {
		for _, k := range w {
			all = append(all, k)
		}
	}
	return all, err
}

// equals finds the partition in a key condition: only its value is compared with =, or that of the sort key too.
var equals = regexp.MustCompile(`([#\w]+)\s*=\s*(:\w+)`)

// partition returns the partition key that a request names, or "".
func (d *DB) partition(table string, k keyed) string {
	schema := d.Faults.schemas[d.prefix+table]
	if schema == nil {
		return ""
	}
	names := schema.Key
	if index, has := schema.Index(k.IndexName); has {
		names = index.Key
	}
	for _, item := range []map[string]map[string]any{k.Key, k.Item} {
		if text, ok := item[names.Partition]["S"].(string); ok {
			return text
		}
	}
	for _, found := range equals.FindAllStringSubmatch(k.KeyConditionExpression, -1) {
		if cmp.Or(k.ExpressionAttributeNames[found[1]], found[1]) == names.Partition {
			text, _ := k.ExpressionAttributeValues[found[2]]["S"].(string)
			return text
		}
	}
	return ""
}
