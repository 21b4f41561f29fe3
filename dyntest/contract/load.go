package contract

import (
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// load has what depends on other requests at the same time.
var load = []Case{
	{
		Name:  "transactions at the same time do not exceed a limit that each of them checks",
		Needs: "the promise that a room is never sold twice",
		Means: "a room is sold twice",
		Units: 120, run: isolated,
	},
	{
		Name:  "an index may lag behind its table",
		Needs: "nothing: the library never takes a decision from an index",
		Means: "an engine that shows no lag finds no code that relies on an index",
		Units: 40, run: lags,
	},
	{
		Name:  "transactions on one item conflict",
		Needs: "nothing: the library retries a conflict",
		Means: "an engine that shows no conflict does not test how code responds to one",
		Units: 120, run: conflicts,
	},
	{
		Name:  "requests beyond the capacity are throttled",
		Needs: "nothing: the library waits and retries",
		Means: "an engine that does not throttle does not test how code responds to it",
		Units: 0, run: func(s *scene) {
			s.notShown("throttling cannot be provoked without a great many units; dyntest.Throttle stands in")
		},
	},
	{
		Name:  "a batch may be left unprocessed in part",
		Needs: "nothing: the library sends the rest again",
		Means: "an engine that leaves nothing unprocessed does not test how code responds to it",
		Units: 0, run: func(s *scene) {
			s.notShown("a rest cannot be provoked without a great many units; dyntest.Unprocessed stands in")
		},
	},
}

// rush sends 16 transactions at the same time, each of which takes one of eight, and returns their errors.
func (s *scene) rush() []error {
	errs := make([]error, 16)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			errs[i] = s.transact(types.TransactWriteItem{Update: &types.Update{
				TableName: &s.items, Key: s.key("a"), UpdateExpression: aws.String("ADD v :one"),
				ConditionExpression:       aws.String("v < :eight"),
				ExpressionAttributeValues: fields(":one", 1, ":eight", 8),
			}})
		})
	}
	wg.Wait()
	return errs
}

func isolated(s *scene) {
	s.put("a", "v", 0)
	carriedOut := 0
	for _, err := range s.rush() {
		if err != nil {
			s.cancelled(err)
			continue
		}
		carriedOut++
	}
	if carriedOut == 0 || carriedOut > 8 {
		s.differs("%d of 16 transactions were carried out, and at most 8 may be", carriedOut)
	}
	s.is("a", "v", carriedOut)
}

func conflicts(s *scene) {
	s.put("a", "v", 0)
	for _, err := range s.rush() {
		if err == nil {
			continue
		}
		for _, code := range codes(s.cancelled(err)) {
			if code == "TransactionConflict" {
				return
			}
		}
	}
	s.notShown("no transaction has met another one; dyntest.Conflict and Faults.Conflicts stand in")
}

func lags(s *scene) {
	for n := range 10 {
		s.put("a", "kpk", s.pk, "ksk", string(rune('a'+n)))
		rows := s.rows(keysIndex, "kpk")
		if len(rows) != 1 || text(rows[0]["ksk"]) != text(value(string(rune('a'+n)))) {
			return
		}
	}
	s.notShown("the index has shown every write at once; dyntest.StaleIndex stands in")
}
