package contract

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay"
)

var reads = []Case{
	{
		Name:  "a consistent read sees every write before it",
		Needs: "every decision that the library takes from what it has read",
		Means: "a decision is taken from an old state",
		Units: 40, run: seesWrites,
	},
	{
		Name:  "a consistent query sees every write before it",
		Needs: "every decision that the library takes from what it has read",
		Means: "a decision is taken from an old state",
		Units: 40, run: queriesSeeWrites,
	},
	{
		Name:  "a consistent read of an index is refused",
		Needs: "decisions that are never taken from an index",
		Means: "code passes its tests, and fails on AWS",
		Units: 2, run: consistentIndex,
	},
	{
		Name:  "a missing item is no error",
		Needs: "telling a missing item from a failure",
		Means: "a lookup fails instead of finding nothing",
		Units: 2, run: missingItem,
	},
}

const rounds = 10

func seesWrites(s *scene) {
	for n := range rounds {
		s.put("a", "v", n)
		s.is("a", "v", n)
	}
	s.remove("a")
	s.gone("a")
}

func queriesSeeWrites(s *scene) {
	var want []dynastay.Item
	for n := range rounds {
		sk := fmt.Sprintf("%02d", n)
		s.put(sk)
		want = append(want, s.item(sk))
		s.same("the items", want, s.query(dynamodb.QueryInput{ConsistentRead: aws.Bool(true)}).Items)
	}
}

func consistentIndex(s *scene) {
	_, err := s.tryQuery(dynamodb.QueryInput{
		IndexName: aws.String(keysIndex), KeyConditionExpression: aws.String("kpk = :pk"), ConsistentRead: aws.Bool(true),
	})
	s.refused("a query", err, validation)
}

func missingItem(s *scene) { s.gone("a") }
