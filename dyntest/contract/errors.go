package contract

import (
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var errorShapes = []Case{
	{
		Name:  "an unknown table is reported as missing, by every operation",
		Needs: "errors that say that the tables were not created",
		Means: "a missing table is reported as something else",
		Units: 0, run: unknownTable,
	},
	{
		Name:  "an invalid action makes a transaction fail as a whole, or with a reason",
		Needs: "errors of validation from a transaction; the library accepts both forms",
		Means: "an invalid write is retried, or reported as a conflict",
		Units: 6, run: invalidAction,
	},
	{
		Name:  "a key that does not fit the table is refused",
		Needs: "errors for tables with another schema",
		Means: "code passes its tests, and fails on AWS",
		Units: 1, run: wrongKey,
	},
	{
		Name:  "an expression that cannot be read is refused",
		Needs: "errors of validation",
		Means: "code passes its tests, and fails on AWS",
		Units: 1, run: wrongExpression,
	},
	{
		Name:  "an unknown index is refused",
		Needs: "errors for tables with another schema",
		Means: "a list is empty instead of an error",
		Units: 1, run: unknownIndex,
	},
}

func unknownTable(s *scene) {
	name := aws.String(s.items + "-missing")
	key := s.key("a")
	_, err := s.Client.GetItem(s.ctx, &dynamodb.GetItemInput{TableName: name, Key: key})
	s.refused("a read", err, missing)
	_, err = s.Client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: name, Item: key})
	s.refused("a put", err, missing)
	_, err = s.Client.DeleteItem(s.ctx, &dynamodb.DeleteItemInput{TableName: name, Key: key})
	s.refused("a delete", err, missing)
	_, err = s.Client.Query(s.ctx, &dynamodb.QueryInput{
		TableName: name, KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: fields(":pk", s.pk),
	})
	s.refused("a query", err, missing)
	_, err = s.Client.BatchGetItem(s.ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		*name: {Keys: []map[string]types.AttributeValue{key}},
	}})
	s.refused("a batch of reads", err, missing)
	s.refused("a transaction", s.transact(types.TransactWriteItem{Put: &types.Put{TableName: name, Item: key}}), missing)
}

// invalidAction adds to a text, which is invalid only because of what is stored.
func invalidAction(s *scene) {
	s.put("a", "v", "text")
	err := s.transact(s.txPut(s.item("b")), s.txAdd("a"))
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) {
		if reasons := codes(cancelled.CancellationReasons); !slices.Contains(reasons, "ValidationError") {
			s.differs("the reasons are %s", text(reasons))
		}
	} else {
		s.refused("the transaction", err, validation)
	}
	s.gone("b")
}

func wrongKey(s *scene) {
	for what, key := range map[string]map[string]types.AttributeValue{
		"a read with a part of the key":         fields("pk", s.pk),
		"a read with an attribute beside a key": fields("pk", s.pk, "sk", "a", "v", 1),
		"a read with a number in the key":       fields("pk", s.pk, "sk", 1),
	} {
		_, err := s.Client.GetItem(s.ctx, &dynamodb.GetItemInput{TableName: &s.items, Key: key})
		s.refused(what, err, validation)
	}
}

func wrongExpression(s *scene) {
	s.refused("an update", s.update("a", "SET v == :v", ":v", 1), validation)
	s.refused("an update", s.update("a", "SET v = unknown(:v)", ":v", 1), validation)
	s.gone("a")
}

func unknownIndex(s *scene) {
	_, err := s.tryQuery(dynamodb.QueryInput{IndexName: aws.String("unknown"), KeyConditionExpression: aws.String("kpk = :pk")})
	s.refused("a query", err, validation, missing)
}
