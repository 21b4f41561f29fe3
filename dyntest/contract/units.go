package contract

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

const (
	needsUnits = "budgets of units in tests, and the costs in the documentation"
	meansUnits = "a test of costs is valid for this engine only; nothing that is stored is wrong"
)

var units = []Case{
	{Name: "a put costs a unit for each KB", Needs: needsUnits, Means: meansUnits, Units: 5, run: unitsOfPuts},
	{Name: "an update costs the larger of the item before and after", Needs: needsUnits, Means: meansUnits, Units: 7, run: unitsOfUpdates},
	{Name: "a consistent read costs a unit for each 4 KB, another one half", Needs: needsUnits, Means: meansUnits, Units: 14, run: unitsOfReads},
	{Name: "a read of a missing item costs as much as a small one", Needs: needsUnits, Means: meansUnits, Units: 2, run: unitsOfMissing},
	{Name: "a transaction costs twice as much", Needs: needsUnits, Means: meansUnits, Units: 8, run: unitsOfTransactions},
	{Name: "a row of an index costs a unit more", Needs: needsUnits, Means: meansUnits, Units: 10, run: unitsOfIndexes},
	{Name: "a row that moves in an index costs two units", Needs: needsUnits, Means: meansUnits, Units: 10, run: unitsOfMoves},
	{Name: "the rows of an index cost their units in a transaction", Needs: needsUnits, Means: meansUnits, Units: 6, run: unitsOfIndexesInTransactions},
	{Name: "a query that finds nothing costs half a unit", Needs: needsUnits, Means: meansUnits, Units: 2, run: unitsOfNothing},
	{Name: "a query costs the sum of its sizes", Needs: needsUnits, Means: meansUnits, Units: 16, run: unitsOfQueries},
	{Name: "a batch of reads costs the sum of its items", Needs: needsUnits, Means: meansUnits, Units: 5, run: unitsOfBatches},
}

const total = types.ReturnConsumedCapacityTotal

// sized returns an item of exactly this size: names and values of text count by their bytes.
func (s *scene) sized(sk string, bytes int) dynastay.Item {
	used := len("pk") + len(s.pk) + len("sk") + len(sk) + len("x")
	return s.item(sk, "x", strings.Repeat("x", bytes-used))
}

// cost ends the case unless a request has cost these units.
func (s *scene) cost(what string, spent *types.ConsumedCapacity, want float64) {
	if spent == nil {
		s.differs("%s: no units are reported", what)
	}
	s.same(what+" costs", want, aws.ToFloat64(spent.CapacityUnits))
}

func first(spent []types.ConsumedCapacity) *types.ConsumedCapacity {
	if len(spent) == 0 {
		return nil
	}
	return &spent[0]
}

func unitsOfPuts(s *scene) {
	for bytes, want := range map[int]float64{1024: 1, 1126: 2, 100: 1} {
		out, err := s.Client.PutItem(s.ctx, &dynamodb.PutItemInput{
			TableName: &s.items, Item: s.sized(fmt.Sprint(bytes), bytes), ReturnConsumedCapacity: total,
		})
		s.done("a put", err)
		s.cost(fmt.Sprintf("a put of %d bytes", bytes), out.ConsumedCapacity, want)
	}
}

func unitsOfUpdates(s *scene) {
	s.putItem(s.sized("a", 2500))
	out, err := s.Client.UpdateItem(s.ctx, &dynamodb.UpdateItemInput{
		TableName: &s.items, Key: s.key("a"), UpdateExpression: aws.String("REMOVE x"), ReturnConsumedCapacity: total,
	})
	s.done("an update", err)
	s.cost("an update of 2,500 bytes to a few", out.ConsumedCapacity, 3)
}

func unitsOfReads(s *scene) {
	for bytes, want := range map[int]float64{4096: 1, 4200: 2} {
		sk := fmt.Sprint(bytes)
		s.putItem(s.sized(sk, bytes))
		for consistent, share := range map[bool]float64{true: 1, false: 0.5} {
			s.costOfRead(sk, consistent, want*share)
		}
	}
}

func (s *scene) costOfRead(sk string, consistent bool, want float64) {
	out, err := s.Client.GetItem(s.ctx, &dynamodb.GetItemInput{
		TableName: &s.items, Key: s.key(sk), ConsistentRead: &consistent, ReturnConsumedCapacity: total,
	})
	s.done("a read", err)
	s.cost(fmt.Sprintf("a read of %s (consistent: %t)", sk, consistent), out.ConsumedCapacity, want)
}

func unitsOfMissing(s *scene) {
	s.costOfRead("a missing item", true, 1)
	s.costOfRead("a missing item", false, 0.5)
}

func unitsOfTransactions(s *scene) {
	out, err := s.Client.TransactWriteItems(s.ctx, &dynamodb.TransactWriteItemsInput{
		ReturnConsumedCapacity: total, TransactItems: []types.TransactWriteItem{s.txPut(s.item("a")), s.txAdd("b")},
	})
	s.done("a transaction", err)
	s.cost("a transaction of two writes", first(out.ConsumedCapacity), 4)
	read, err := s.Client.TransactGetItems(s.ctx, &dynamodb.TransactGetItemsInput{
		ReturnConsumedCapacity: total,
		TransactItems:          []types.TransactGetItem{{Get: &types.Get{TableName: &s.items, Key: s.key("a")}}},
	})
	s.done("a transaction", err)
	s.cost("a transaction of one read", first(read.ConsumedCapacity), 2)
}

// inIndexes ends the case unless a write has cost one unit for the table, and these for two indexes.
func (s *scene) inIndexes(what string, spent *types.ConsumedCapacity, table, keys, include float64) {
	if spent == nil || spent.Table == nil {
		s.differs("%s: the units are not reported by index", what)
	}
	s.same(what+" costs in the table", table, capacity(*spent.Table))
	s.same(what+" costs in the index of keys", keys, capacity(spent.GlobalSecondaryIndexes[keysIndex]))
	s.same(what+" costs in the index of some attributes", include, capacity(spent.GlobalSecondaryIndexes[includeIndex]))
}

// capacity returns the units of a table or an index, which engines report under either name.
func capacity(c types.Capacity) float64 {
	if c.WriteCapacityUnits != nil {
		return *c.WriteCapacityUnits
	}
	return aws.ToFloat64(c.CapacityUnits)
}

// indexed returns an item that is in the index of keys and in the one of some attributes.
func (s *scene) indexed(sk string, attributes ...any) dynastay.Item {
	return s.item(sk, append([]any{"kpk", s.pk, "ksk", sk, "ipk", s.pk, "isk", sk}, attributes...)...)
}

func (s *scene) costOfUpdate(sk, expression string, value any) *types.ConsumedCapacity {
	out, err := s.Client.UpdateItem(s.ctx, &dynamodb.UpdateItemInput{
		TableName: &s.items, Key: s.key(sk), UpdateExpression: &expression,
		ExpressionAttributeValues: fields(":v", value), ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
	})
	s.done("an update", err)
	return out.ConsumedCapacity
}

func unitsOfIndexes(s *scene) {
	out, err := s.Client.PutItem(s.ctx, &dynamodb.PutItemInput{
		TableName: &s.items, Item: s.indexed("a", "v", 1), ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
	})
	s.done("a put", err)
	s.inIndexes("a put", out.ConsumedCapacity, 1, 1, 1)
	s.inIndexes("a change of what one index projects", s.costOfUpdate("a", "SET v = :v", 2), 1, 0, 1)
	s.inIndexes("a change of what no index projects", s.costOfUpdate("a", "SET x = :v", 2), 1, 0, 0)
}

func unitsOfMoves(s *scene) {
	s.putItem(s.indexed("a"))
	s.inIndexes("a change of an index's key", s.costOfUpdate("a", "SET ksk = :v", "b"), 1, 2, 0)
}

func unitsOfIndexesInTransactions(s *scene) {
	out, err := s.Client.TransactWriteItems(s.ctx, &dynamodb.TransactWriteItemsInput{
		ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
		TransactItems:          []types.TransactWriteItem{s.txPut(s.indexed("a"))},
	})
	s.done("a transaction", err)
	s.inIndexes("a put in a transaction", first(out.ConsumedCapacity), 2, 1, 1)
}

func unitsOfNothing(s *scene) {
	out := s.query(dynamodb.QueryInput{ReturnConsumedCapacity: total})
	s.cost("a query", out.ConsumedCapacity, 0.5)
	out = s.query(dynamodb.QueryInput{ReturnConsumedCapacity: total, ConsistentRead: aws.Bool(true)})
	s.cost("a consistent query", out.ConsumedCapacity, 1)
}

func unitsOfQueries(s *scene) {
	for n := range 10 {
		s.putItem(s.sized(fmt.Sprint(n), 1000))
	}
	out := s.query(dynamodb.QueryInput{ReturnConsumedCapacity: total, ConsistentRead: aws.Bool(true)})
	s.cost("a consistent query of 10,000 bytes", out.ConsumedCapacity, 3)
	out = s.query(dynamodb.QueryInput{ReturnConsumedCapacity: total})
	s.cost("a query of 10,000 bytes", out.ConsumedCapacity, 1.5)
}

func unitsOfBatches(s *scene) {
	s.put("000")
	s.put("001")
	out, err := s.Client.BatchGetItem(s.ctx, &dynamodb.BatchGetItemInput{
		ReturnConsumedCapacity: total,
		RequestItems:           map[string]types.KeysAndAttributes{s.items: {Keys: s.keys(3)}},
	})
	s.done("a batch", err)
	s.cost("a batch of two items and a missing one", first(out.ConsumedCapacity), 1.5)
}
