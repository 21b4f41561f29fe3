package contract

import (
	"crypto/rand"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

var transactions = []Case{
	{
		Name:  "all actions are carried out, also over two tables",
		Needs: "every operation of several items, such as a booking with its nights",
		Means: "a booking without its nights",
		Units: 30, run: allActions,
	},
	{
		Name:  "nothing is carried out if one condition fails",
		Needs: "every operation of several items, such as a booking with its nights",
		Means: "nights that are taken by no booking",
		Units: 20, run: nothing,
	},
	{
		Name:  "the reasons are in the order of the actions",
		Needs: "errors that name the item and the reason",
		Means: "an error that blames another item, or none",
		Units: 16, run: reasonsInOrder,
	},
	{
		Name:  "a reason has the item that is stored, if it is asked for",
		Needs: "recognising a repeated call, and errors that say what has changed",
		Means: "a repeated call is reported as a failure",
		Units: 20, run: reasonsWithItems,
	},
	{
		Name:  "a repeated client token has no second effect",
		Needs: "retries after a lost response",
		Means: "a retry books, pays or counts twice",
		Units: 16, run: tokenRepeated,
	},
	{
		Name:  "a client token with other content is refused",
		Needs: "noticing that one token stands for two operations",
		Means: "an operation is reported as done that was not",
		Units: 12, run: tokenMisused,
	},
	{
		Name:  "100 actions are accepted, 101 are refused",
		Needs: "the limits that the library checks and documents",
		Means: "an operation passes its tests, and fails on AWS",
		Units: 210, run: hundredActions,
	},
	{
		Name:  "two actions on one item are refused",
		Needs: "operations that fold the changes of one item into one action",
		Means: "an operation passes its tests, and fails on AWS",
		Units: 8, run: sameItemTwice,
	},
	{
		Name:  "a condition check changes nothing",
		Needs: "operations that depend on an item that they do not change",
		Means: "an item is created or changed by looking at it",
		Units: 16, run: checkOnly,
	},
	{
		Name:  "reads in a transaction are in the order of the keys",
		Needs: "a service's own reads of several items at one point in time",
		Means: "one item is taken for another",
		Units: 12, run: readTogether,
	},
}

func (s *scene) txPut(item dynastay.Item) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: &s.items, Item: item}}
}

// txNew is a put that requires that there is no such item.
func (s *scene) txNew(item dynastay.Item) types.TransactWriteItem {
	put := s.txPut(item)
	put.Put.ConditionExpression, put.Put.ReturnValuesOnConditionCheckFailure = aws.String("attribute_not_exists(pk)"), allOld
	return put
}

func (s *scene) txAdd(sk string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &s.items, Key: s.key(sk), UpdateExpression: aws.String("ADD v :one"),
		ExpressionAttributeValues: fields(":one", 1),
	}}
}

func (s *scene) txCheck(sk string, v int) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &s.items, Key: s.key(sk), ConditionExpression: aws.String("v = :v"),
		ExpressionAttributeValues: fields(":v", v), ReturnValuesOnConditionCheckFailure: allOld,
	}}
}

func allActions(s *scene) {
	s.put("updated", "v", 1)
	s.put("deleted")
	s.put("checked", "v", 1)
	s.done("the transaction", s.transact(
		s.txNew(s.item("put", "v", 1)), s.txAdd("updated"), s.inVault().txPut(s.item("other", "v", 1)), s.txCheck("checked", 1),
		types.TransactWriteItem{Delete: &types.Delete{TableName: &s.items, Key: s.key("deleted")}},
	))
	s.is("put", "v", 1)
	s.is("updated", "v", 2)
	s.gone("deleted")
	s.inVault().is("other", "v", 1)
}

func nothing(s *scene) {
	s.put("updated", "v", 1)
	s.put("there", "v", 1)
	s.cancelled(s.transact(s.txNew(s.item("put")), s.txAdd("updated"), s.inVault().txPut(s.item("other", "v", 1)), s.txNew(s.item("there"))))
	s.gone("put")
	s.is("updated", "v", 1)
	s.is("there", "v", 1)
	s.inVault().gone("other")
}

func reasonsInOrder(s *scene) {
	s.put("b")
	s.put("c")
	reasons := s.cancelled(s.transact(
		s.txNew(s.item("a")), s.txNew(s.item("b")), s.txNew(s.item("c")), s.txNew(s.item("d")), s.txNew(s.item("e")),
	))
	const refused = "ConditionalCheckFailed"
	s.same("the reasons", []string{"None", refused, refused, "None", "None"}, codes(reasons))
}

func reasonsWithItems(s *scene) {
	s.put("a", "v", 1)
	s.put("b", "v", 2)
	silent := s.txNew(s.item("a"))
	silent.Put.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureNone
	reasons := s.cancelled(s.transact(s.txCheck("b", 7), silent, s.txCheck("missing", 7)))
	if len(reasons) != 3 {
		s.differs("there are %d reasons for 3 actions", len(reasons))
	}
	s.same("the item in the reason", s.item("b", "v", 2), dynastay.Item(reasons[0].Item))
	s.same("attributes in the reason of an action that does not ask for them", 0, len(reasons[1].Item))
	s.same("attributes in the reason of a missing item", 0, len(reasons[2].Item))
}

func (s *scene) withToken(token string, actions ...types.TransactWriteItem) error {
	_, err := s.Client.TransactWriteItems(s.ctx, &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: &token, TransactItems: actions,
	})
	return err
}

func tokenRepeated(s *scene) {
	token := rand.Text()
	for range 2 {
		s.done("the transaction", s.withToken(token, s.txAdd("a")))
	}
	s.is("a", "v", 1)
	s.done("a transaction with another token", s.withToken(rand.Text(), s.txAdd("a")))
	s.is("a", "v", 2)
}

func tokenMisused(s *scene) {
	token := rand.Text()
	s.done("the transaction", s.withToken(token, s.txAdd("a")))
	s.refused("a transaction with the same token", s.withToken(token, s.txAdd("b")), "IdempotentParameterMismatchException")
	s.gone("b")
}

func hundredActions(s *scene) {
	var actions []types.TransactWriteItem
	for n := range 101 {
		actions = append(actions, s.txPut(s.item(fmt.Sprint(n))))
	}
	s.refused("a transaction of 101 actions", s.transact(actions...), validation)
	s.done("a transaction of 100 actions", s.transact(actions[:100]...))
	s.is("99")
}

func sameItemTwice(s *scene) {
	s.refused("a transaction", s.transact(s.txPut(s.item("a")), s.txAdd("a")), validation)
	s.gone("a")
}

func checkOnly(s *scene) {
	s.put("a", "v", 1)
	s.done("the transaction", s.transact(s.txCheck("a", 1), s.txPut(s.item("b"))))
	s.is("a", "v", 1)
	s.cancelled(s.transact(s.txCheck("missing", 1), s.txPut(s.item("c"))))
	s.gone("missing")
	s.gone("c")
}

func readTogether(s *scene) {
	s.put("a", "v", 1)
	s.put("b", "v", 2)
	var gets []types.TransactGetItem
	for _, sk := range []string{"b", "missing", "a"} {
		gets = append(gets, types.TransactGetItem{Get: &types.Get{TableName: &s.items, Key: s.key(sk)}})
	}
	out, err := s.Client.TransactGetItems(s.ctx, &dynamodb.TransactGetItemsInput{TransactItems: gets})
	s.done("the transaction", err)
	var got []dynastay.Item
	for _, r := range out.Responses {
		got = append(got, r.Item)
	}
	s.same("the items", []dynastay.Item{s.item("b", "v", 2), nil, s.item("a", "v", 1)}, got)
}
