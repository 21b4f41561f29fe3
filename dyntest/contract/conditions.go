package contract

import (
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

var conditions = []Case{
	{
		Name:  "a put whose condition fails changes nothing",
		Needs: "creating an item once: users, unique names, bookings",
		Means: "a second user takes the place of the first",
		Units: 5, run: putOnce,
	},
	{
		Name:  "an update whose condition fails changes nothing",
		Needs: "every change that expects a state, such as a confirmation of a pending booking",
		Means: "a change is applied to a state that it must not change",
		Units: 5, run: updateIf,
	},
	{
		Name:  "a delete whose condition fails deletes nothing",
		Needs: "deletes of what a caller has seen",
		Means: "a newer version is lost",
		Units: 5, run: deleteIf,
	},
	{
		Name:  "an update with a condition creates no item",
		Needs: "updates of items that must exist",
		Means: "a part of an item remains where there was none",
		Units: 4, run: updateMissing,
	},
	{
		Name:  "a refused put returns the item that is stored",
		Needs: "recognising a repeated call without another read",
		Means: "a repeated call is reported as a failure",
		Units: 4, run: putReturns,
	},
	{
		Name:  "a refused update returns the item that is stored",
		Needs: "errors that say what has changed",
		Means: "an error does not say why",
		Units: 4, run: updateReturns,
	},
	{
		Name:  "a refused delete returns the item that is stored",
		Needs: "errors that say what has changed",
		Means: "an error does not say why",
		Units: 4, run: deleteReturns,
	},
	{
		Name:  "a refusal has no item if none is stored",
		Needs: "telling an item that is missing from one that differs",
		Means: "a missing item is reported as a changed one",
		Units: 2, run: refusedWithoutItem,
	},
	{
		Name:  "comparisons and functions of conditions",
		Needs: "conditions on versions, states, dates and counts",
		Means: "a write is refused, or carried out, in the wrong state",
		Units: 40, run: comparisons,
	},
}

const allOld = types.ReturnValuesOnConditionCheckFailureAllOld

func (s *scene) tryPut(item dynastay.Item, condition string, placeholders ...any) error {
	names, values := split(placeholders)
	_, err := s.Client.PutItem(s.ctx, &dynamodb.PutItemInput{
		TableName: &s.items, Item: item, ConditionExpression: &condition, ReturnValuesOnConditionCheckFailure: allOld,
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	})
	return err
}

func (s *scene) tryUpdate(sk, condition string) error {
	_, err := s.Client.UpdateItem(s.ctx, &dynamodb.UpdateItemInput{
		TableName: &s.items, Key: s.key(sk), UpdateExpression: aws.String("SET v = :new"),
		ConditionExpression: &condition, ExpressionAttributeValues: fields(":new", 9, ":old", 1),
		ReturnValuesOnConditionCheckFailure: allOld,
	})
	return err
}

func (s *scene) tryDelete(sk string, expected int) error {
	_, err := s.Client.DeleteItem(s.ctx, &dynamodb.DeleteItemInput{
		TableName: &s.items, Key: s.key(sk), ConditionExpression: aws.String("v = :old"),
		ExpressionAttributeValues: fields(":old", expected), ReturnValuesOnConditionCheckFailure: allOld,
	})
	return err
}

func putOnce(s *scene) {
	s.done("a put of a new item", s.tryPut(s.item("a", "v", 1), "attribute_not_exists(pk)"))
	s.refused("a second put", s.tryPut(s.item("a", "v", 2), "attribute_not_exists(pk)"), failed)
	s.is("a", "v", 1)
}

func updateIf(s *scene) {
	s.put("a", "v", 2)
	s.refused("an update", s.tryUpdate("a", "v = :old"), failed)
	s.is("a", "v", 2)
	s.put("a", "v", 1)
	s.done("an update", s.tryUpdate("a", "v = :old"))
	s.is("a", "v", 9)
}

func deleteIf(s *scene) {
	s.put("a", "v", 2)
	s.refused("a delete", s.tryDelete("a", 1), failed)
	s.is("a", "v", 2)
	s.done("a delete", s.tryDelete("a", 2))
	s.gone("a")
}

func updateMissing(s *scene) {
	s.refused("an update of a missing item", s.tryUpdate("a", "v = :old"), failed)
	s.gone("a")
}

// returns ends the case unless a write was refused with the item that is stored.
func (s *scene) returns(what string, err error, want dynastay.Item) {
	s.refused(what, err, failed)
	var refused *types.ConditionalCheckFailedException
	if !errors.As(err, &refused) {
		s.differs("%s was refused in another form: %v", what, err)
	}
	if len(want)+len(refused.Item) > 0 {
		s.same("the item in the refusal", want, dynastay.Item(refused.Item))
	}
}

func putReturns(s *scene) {
	s.put("a", "v", 1, "w", "x")
	s.returns("a put", s.tryPut(s.item("a"), "attribute_not_exists(pk)"), s.item("a", "v", 1, "w", "x"))
}

func updateReturns(s *scene) {
	s.put("a", "v", 2, "w", "x")
	s.returns("an update", s.tryUpdate("a", "v = :old"), s.item("a", "v", 2, "w", "x"))
}

func deleteReturns(s *scene) {
	s.put("a", "v", 2, "w", "x")
	s.returns("a delete", s.tryDelete("a", 1), s.item("a", "v", 2, "w", "x"))
}

func refusedWithoutItem(s *scene) {
	s.returns("an update of a missing item", s.tryUpdate("a", "v = :old"), nil)
}

func comparisons(s *scene) {
	item := s.item("a", "v", 5, "w", "abc", "l", []any{1, "x"}, "z", texts("p", "q"))
	s.putItem(item)
	for condition, holds := range map[string]bool{
		"v = :five":                            true,
		"v <> :five":                           false,
		"v < :ten":                             true,  // as numbers, not as text
		"v >= :text":                           false, // another type
		"absent = :five":                       false, // no such attribute
		"v BETWEEN :five AND :ten":             true,
		"v IN (:ten, :five)":                   true,
		"begins_with(w, :ab)":                  true,
		"begins_with(w, :upper)":               false,
		"contains(w, :bc)":                     true,
		"contains(z, :p)":                      true,
		"contains(l, :bc)":                     false,
		"size(w) = :three":                     true,
		"attribute_type(w, :number)":           false,
		"attribute_not_exists(absent)":         true,
		"NOT attribute_exists(v)":              false,
		"v = :ten OR v = :five AND w = w":      true,
		"(v = :five OR v = :ten) AND v = :ten": false,
	} {
		values := dynastay.Item{}
		for name, value := range fields(":five", 5, ":ten", 10, ":text", "1", ":ab", "ab", ":upper", "AB", ":bc", "bc",
			":p", "p", ":three", 3, ":number", "N") {
			if slices.Contains(words(condition), name) { // an engine refuses values that are not used
				values[name] = value
			}
		}
		in := &dynamodb.PutItemInput{TableName: &s.items, Item: item, ConditionExpression: &condition}
		if len(values) > 0 {
			in.ExpressionAttributeValues = values
		}
		_, err := s.Client.PutItem(s.ctx, in)
		if holds {
			s.done("a put if "+condition, err)
		} else {
			s.refused("a put if "+condition, err, failed)
		}
	}
}
