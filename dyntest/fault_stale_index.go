package dyntest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/dynastay/dynastay"
)

// StaleIndex answers a Query or Scan of an index from an earlier state, as DynamoDB may before it has updated an index.
// The index is frozen in the state that it had when the fault was injected, or at the last matching read of an index of
// that table that was not hit, which shows the current state. Items written since then are missing, changed items are
// found under their old key and with their old attributes, and deleted items still exist. Reads of the table itself do
// not match.
//
// StaleIndex keeps a second copy of each table that [When] selects. The injection creates the copies, and they are
// deleted at the end of the test.
func StaleIndex() Fault {
	return Fault{
		name: "StaleIndex", operations: pagers, needsIndex: true,
		applies: func(c *content) bool { return c.IndexName != "" },
		begin:   func(i *Injection) effect { return i.faults.freeze(i) },
	}
}

// frozen are the copies of tables, by the full names of those tables.
type frozen map[string]*replica

// freeze copies the tables that the injection can be about.
func (f *Faults) freeze(i *Injection) effect {
	f.t.Helper()
	copies := frozen{}
	var schemas []*dynastay.Schema
	for _, s := range f.tablesOf(i.when) {
		if len(s.Indexes) > 0 {
			r := newReplica(f.engine, f.prefix, s, i.number)
			copies[f.prefix+s.Name] = r
			schemas = append(schemas, r.schema)
		}
	}
	f.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), setUpTime)
		defer cancel()
		if err := f.engine.DeleteTables(ctx, f.prefix, schemas...); err != nil {
			f.t.Errorf("dyntest: delete the table copies of StaleIndex: %v", err)
		}
	})
	ctx, cancel := context.WithTimeout(f.t.Context(), setUpTime)
	defer cancel()
	if err := createTables(ctx, f.engine, f.prefix, schemas); err != nil {
		f.t.Fatalf("dyntest: create the table copies of StaleIndex: %v", err)
	}
	for table, r := range copies {
		if err := r.refresh(ctx); err != nil {
			f.t.Fatalf("dyntest: copy table %s for StaleIndex: %v", table, err)
		}
	}
	return effect{strike: copies.strike, spare: copies.spare}
}

// strike lets the copy answer on behalf of the table.
func (copies frozen) strike(t *turn, x *exchange, next hop) (*http.Response, error) {
	r := copies[t.content.TableName]
	if r == nil {
		return next(x) // a table that the test created itself
	}
	body, err := edit(x.body, func(request map[string]json.RawMessage) (err error) {
		request["TableName"], err = json.Marshal(r.name)
		return err
	})
	if err != nil {
		return nil, err
	}
	resp, err := next(x.with(body))
	if err != nil {
		return nil, err
	}
	answer, err := readAnswer(resp)
	if err != nil {
		return nil, err
	}
	replaceAnswer(resp, bytes.ReplaceAll(answer, []byte(r.name), []byte(t.content.TableName)))
	t.hit()
	return resp, nil
}

// spare updates the copy before a read of the current state.
func (copies frozen) spare(t *turn, x *exchange) error {
	if r := copies[t.content.TableName]; r != nil {
		return r.refresh(x.Context())
	}
	return nil
}
