package contract

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

const (
	needsLimits = "errors for what DynamoDB refuses, which the library reports before or after a request"
	meansLimits = "code passes its tests, and fails on AWS"
)

var limits = []Case{
	{Name: "an empty key is refused", Needs: needsLimits, Means: meansLimits, Units: 2, run: emptyKeys},
	{Name: "an item of 400 KB is accepted, a larger one is refused", Needs: needsLimits, Means: meansLimits, Units: 402, run: largeItems},
	{Name: "a sort key of 1,024 bytes is accepted, a longer one is refused", Needs: needsLimits, Means: meansLimits, Units: 4, run: longSortKeys},
	{Name: "a partition key of 2,048 bytes is accepted, a longer one is refused", Needs: needsLimits, Means: meansLimits, Units: 5, run: longPartitionKeys},
	{Name: "an expression of 300 operators is accepted, a longer one is refused", Needs: needsLimits, Means: meansLimits, Units: 3, run: manyOperators},
	{Name: "an empty key of an index is refused", Needs: needsLimits, Means: meansLimits, Units: 2, run: emptyIndexKeys},
	{Name: "a key of an index with another type is refused", Needs: needsLimits, Means: meansLimits, Units: 2, run: indexKeyTypes},
	{Name: "a placeholder that is not used is refused", Needs: needsLimits, Means: meansLimits, Units: 2, run: unusedPlaceholders},
	{Name: "a reserved word is refused without a placeholder", Needs: needsLimits, Means: meansLimits, Units: 2, run: reservedWords},
	{Name: "a value of many levels is accepted, one of more than 32 is refused", Needs: needsLimits, Means: meansLimits, Units: 3, run: deepValues},
}

// try puts an item.
func (s *scene) try(item dynastay.Item) error {
	_, err := s.Client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: &s.items, Item: item})
	return err
}

func emptyKeys(s *scene) {
	s.refused("an item with an empty sort key", s.try(s.item("")), validation)
	s.refused("an item with an empty partition key", s.try(fields("pk", "", "sk", "a")), validation)
}

func largeItems(s *scene) {
	const largest = 400 << 10
	s.done("an item of 400 KB", s.try(s.sized("a", largest)))
	s.refused("an item of a byte more than 400 KB", s.try(s.sized("b", largest+1)), validation)
}

func longSortKeys(s *scene) {
	s.done("a sort key of 1,024 bytes", s.try(s.item(strings.Repeat("é", 512))))
	s.refused("a sort key of 1,025 bytes", s.try(s.item(strings.Repeat("é", 512)+"x")), validation)
}

func longPartitionKeys(s *scene) {
	long := s.pk + strings.Repeat("x", 2048-len(s.pk))
	s.done("a partition key of 2,048 bytes", s.try(fields("pk", long, "sk", "a")))
	s.refused("a partition key of 2,049 bytes", s.try(fields("pk", long+"x", "sk", "a")), validation)
}

// operators returns a condition with an odd number of comparisons and ORs.
func operators(n int) string { return "v = :v" + strings.Repeat(" OR v = :v", (n-1)/2) }

func manyOperators(s *scene) {
	item := s.item("a", "v", 1)
	s.putItem(item)
	s.done("a condition of 299 operators", s.tryPut(item, operators(299), ":v", 1))
	s.refused("a condition of 301 operators", s.tryPut(item, operators(301), ":v", 1), validation)
}

func emptyIndexKeys(s *scene) {
	s.refused("an item with an empty key of an index", s.try(s.item("a", "kpk", s.pk, "ksk", "")), validation)
}

func indexKeyTypes(s *scene) {
	s.refused("a number as the key of an index of text", s.try(s.item("a", "kpk", s.pk, "ksk", 1)), validation)
}

func unusedPlaceholders(s *scene) {
	s.refused("a value that is not used", s.update("a", "SET v = :v", ":v", 1, ":w", 2), validation)
	s.refused("a name that is not used", s.update("a", "SET v = :v", ":v", 1, "#w", "w"), validation)
	s.refused("a value that is missing", s.update("a", "SET v = :v"), validation)
}

func reservedWords(s *scene) {
	s.refused("the name status", s.update("a", "SET status = :v", ":v", 1), validation)
	s.updated("a", "SET #s = :v", "#s", "status", ":v", 1)
}

// nested returns a value of this many levels of lists, the innermost of which is empty.
func nested(levels int) types.AttributeValue {
	v := value([]any{})
	for range levels - 1 {
		v = value([]any{v})
	}
	return v
}

func deepValues(s *scene) {
	s.done("a value of 31 levels of lists", s.try(s.item("a", "v", nested(31))))
	s.refused("a value of 40 levels of lists", s.try(s.item("b", "v", nested(40))), validation)
}
