package contract

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

const needsUpdates = "changes of a part of an item, which leave the rest to other writers"

var updates = []Case{
	{
		Name:  "SET changes a nested value and nothing beside it",
		Needs: needsUpdates,
		Means: "the change of another writer is lost",
		Units: 6, run: setNested,
	},
	{
		Name:  "SET after the end of a list appends",
		Needs: "a service's own lists; the library appends to none",
		Means: "a service's own list has gaps",
		Units: 4, run: setAfterEnd,
	},
	{
		Name:  "REMOVE removes a nested value, and an element of a list",
		Needs: needsUpdates,
		Means: "a value that was removed remains, or its neighbour is removed",
		Units: 6, run: removeNested,
	},
	{
		Name:  "REMOVE of several elements counts them as they were before it",
		Needs: "a service's own lists; the library removes no elements",
		Means: "a service's own update removes the wrong element on one of the engines",
		Units: 4, run: removeSeveral,
	},
	{
		Name:  "list_append adds at either end",
		Needs: "a service's own histories in an item",
		Means: "a history is in the wrong order",
		Units: 6, run: appends,
	},
	{
		Name:  "if_not_exists keeps what is there",
		Needs: "a service's own counters and dates that the first writer sets",
		Means: "the first value is overwritten",
		Units: 6, run: ifNotExists,
	},
	{
		Name:  "ADD adds to a number, and begins at zero",
		Needs: "counters, such as the votes of a review",
		Means: "a count is wrong",
		Units: 8, run: addNumber,
	},
	{
		Name:  "ADD and DELETE change a set, and an empty set is removed",
		Needs: "a service's own sets",
		Means: "a member is lost, or an empty set remains",
		Units: 10, run: changeSet,
	},
	{
		Name:  "a path that does not exist is refused",
		Needs: "changes of nested values that must exist",
		Means: "a change is lost without an error",
		Units: 4, run: missingPath,
	},
	{
		Name:  "paths that overlap are refused",
		Needs: "updates that are put together from several parts",
		Means: "code passes its tests, and fails on AWS",
		Units: 4, run: overlappingPaths,
	},
	{
		Name:  "the key cannot be changed",
		Needs: "keys that stay what they are",
		Means: "code passes its tests, and fails on AWS",
		Units: 4, run: keyChanged,
	},
	{
		Name:  "all values of an update are those from before it",
		Needs: "a service's own updates that move a value",
		Means: "a copy has the new value",
		Units: 6, run: valuesBefore,
	},
	{
		Name:  "an update creates an item with its key",
		Needs: "counters and calendars whose items come into being with the first change",
		Means: "the first change fails",
		Units: 4, run: updateCreates,
	},
	{
		Name:  "an update returns the item before or after it, as asked",
		Needs: "a service's own updates that return what they have done",
		Means: "a caller sees an old state",
		Units: 8, run: updateReturnsValues,
	},
}

func setNested(s *scene) {
	s.put("a", "m", map[string]any{"b": map[string]any{"c": 1, "d": 2}, "l": []any{1, 2}}, "v", 1)
	s.updated("a", "SET m.b.c = :x, m.#new = :y, m.l[1] = :x", "#new", "new.with.dots", ":x", 7, ":y", "z")
	s.is("a", "m", map[string]any{
		"b": map[string]any{"c": 7, "d": 2}, "l": []any{1, 7}, "new.with.dots": "z",
	}, "v", 1)
}

func setAfterEnd(s *scene) {
	s.put("a", "l", []any{1, 2})
	s.updated("a", "SET l[9] = :x", ":x", 3)
	s.is("a", "l", []any{1, 2, 3})
}

func removeNested(s *scene) {
	s.put("a", "m", map[string]any{"b": 1, "c": 2, "l": []any{1, 2, 3}}, "v", 1)
	s.updated("a", "REMOVE m.b, m.l[1], absent")
	s.is("a", "m", map[string]any{"c": 2, "l": []any{1, 3}}, "v", 1)
}

func removeSeveral(s *scene) {
	s.put("a", "l", []any{1, 2, 3, 4})
	s.updated("a", "REMOVE l[0], l[2]")
	s.is("a", "l", []any{2, 4})
}

func appends(s *scene) {
	s.put("a", "l", []any{2})
	s.updated("a", "SET l = list_append(l, :x)", ":x", []any{3, 4})
	s.updated("a", "SET l = list_append(:x, l)", ":x", []any{1})
	s.is("a", "l", []any{1, 2, 3, 4})
}

func ifNotExists(s *scene) {
	s.put("a", "v", 1)
	s.updated("a", "SET v = if_not_exists(v, :x), w = if_not_exists(w, :x), c = if_not_exists(c, :x) + :y", ":x", 5, ":y", 2)
	s.is("a", "v", 1, "w", 5, "c", 7)
}

func addNumber(s *scene) {
	s.put("a", "v", 1)
	s.updated("a", "ADD v :x, w :x", ":x", number("-2.5"))
	s.is("a", "v", number("-1.5"), "w", number("-2.5"))
	s.updated("a", "SET v = v - :x", ":x", number("0.5"))
	s.is("a", "v", -2, "w", number("-2.5"))
}

func changeSet(s *scene) {
	s.put("a", "z", texts("p", "q"))
	s.updated("a", "ADD z :x, y :x", ":x", texts("q", "r"))
	s.is("a", "z", texts("p", "q", "r"), "y", texts("q", "r"))
	s.updated("a", "DELETE z :x, y :x", ":x", texts("q", "r", "s"))
	s.is("a", "z", texts("p"))
}

func missingPath(s *scene) {
	s.put("a", "v", 1)
	s.refused("SET of a path in a missing map", s.update("a", "SET m.b = :x", ":x", 1), validation)
	s.refused("SET of a path in a number", s.update("a", "SET v.b = :x", ":x", 1), validation)
	s.refused("SET to a missing attribute", s.update("a", "SET v = absent"), validation)
	s.is("a", "v", 1)
}

func overlappingPaths(s *scene) {
	s.put("a", "m", map[string]any{"b": 1})
	s.refused("an update", s.update("a", "SET m.b = :x, m = :y", ":x", 1, ":y", map[string]any{}), validation)
	s.is("a", "m", map[string]any{"b": 1})
}

func keyChanged(s *scene) {
	s.put("a")
	s.refused("an update", s.update("a", "SET sk = :x", ":x", "b"), validation)
	s.is("a")
}

func valuesBefore(s *scene) {
	s.put("a", "v", 1, "w", 2)
	s.updated("a", "SET v = w, w = v")
	s.is("a", "v", 2, "w", 1)
}

func updateCreates(s *scene) {
	s.updated("a", "SET v = :x REMOVE w", ":x", 1)
	s.is("a", "v", 1)
}

func updateReturnsValues(s *scene) {
	s.put("a", "v", 1, "w", "x")
	for _, c := range []struct {
		asked types.ReturnValue
		want  dynastay.Item
	}{
		{types.ReturnValueAllOld, s.item("a", "v", 1, "w", "x")},
		{types.ReturnValueAllNew, s.item("a", "v", 3, "w", "x")},
		{types.ReturnValueUpdatedOld, fields("v", 3)},
		{types.ReturnValueUpdatedNew, fields("v", 5)},
		{types.ReturnValueNone, nil},
	} {
		out, err := s.Client.UpdateItem(s.ctx, &dynamodb.UpdateItemInput{
			TableName: &s.items, Key: s.key("a"), UpdateExpression: aws.String("ADD v :one"),
			ExpressionAttributeValues: fields(":one", 1), ReturnValues: c.asked,
		})
		s.done("an update", err)
		s.same(string(c.asked), c.want, dynastay.Item(out.Attributes))
	}
}
