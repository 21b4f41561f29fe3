package dyntest

import (
	"bytes"
	"net/http"
	"slices"
)

// hint is the stage that names an unknown table, which the engine's answer does not.
func (f *Faults) hint(x *exchange, next hop) (*http.Response, error) {
	resp, err := next(x)
	if err != nil || resp.StatusCode != http.StatusBadRequest || !slices.Contains(operations, x.operation) {
		return resp, err
	}
	answer, err := readAnswer(resp)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(answer, []byte("ResourceNotFoundException")) {
		return resp, nil
	}
	c, err := f.contentOf(x)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range c.tables {
		if !f.ended && f.schemas[f.prefix+name] == nil && !f.unknown[name] {
			f.unknown[name] = true
			f.t.Logf("dyntest: this test has no table %s, only %s; add your service's tables with the option Tables, "+
				"and get a table's full name from DB.TableName", name, f.tableNames())
		}
	}
	return resp, nil
}
