package dyntest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// ShortPages ends a page of a Query or Scan after n items, or sooner as the engine sees fit, as DynamoDB does where a
// page would pass 1 MB: the answer says where to go on, in its LastEvaluatedKey. A request that asks for n items or fewer is
// no match, and an answer without that key is no hit. Engines give the key also where exactly n items were there, and so
// does DynamoDB: the page that follows a hit may be empty, and the last one.
func ShortPages(n int) Fault {
	fault := newFault(fmt.Sprintf("ShortPages(%d)", n), pagers, func(t *turn, x *exchange, next hop) (*http.Response, error) {
		body, err := edit(x.body, func(request map[string]json.RawMessage) error {
			limit := n
			if given, there := request["Limit"]; there {
				var asked int
				if err := json.Unmarshal(given, &asked); err != nil {
					return err
				}
				limit = min(n, asked)
			}
			request["Limit"] = strconv.AppendInt(nil, int64(limit), 10)
			return nil
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
		var page struct{ LastEvaluatedKey json.RawMessage }
		if err := json.Unmarshal(answer, &page); err != nil {
			return nil, err
		}
		if page.LastEvaluatedKey != nil {
			t.hit()
		}
		return resp, nil
	})
	fault.befalls = func(c *content) bool { return c.Limit == 0 || c.Limit > n }
	if n < 1 {
		fault.wrong = "n must be positive"
	}
	return fault
}
