package dyntest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// ShortPages ends a page of a Query or Scan after n items, or earlier if the engine itself ends it earlier, as DynamoDB
// does if a page would exceed 1 MB. The LastEvaluatedKey of the response says where to continue. A request for n items
// or fewer does not match, and a response without that key is not a hit. Engines return the key even if there were
// exactly n items, and so does DynamoDB: the page after a hit may be empty and may be the last one.
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
	fault.applies = func(c *content) bool { return c.Limit == 0 || c.Limit > n }
	if n < 1 {
		fault.wrong = "n must be positive"
	}
	return fault
}
