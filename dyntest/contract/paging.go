package contract

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

var paging = []Case{
	{
		Name:  "pages continue after the last key, and miss and repeat nothing",
		Needs: "every list",
		Means: "a list misses entries, shows them twice, or never ends",
		Units: 20, run: pages,
	},
	{
		Name:  "pages backwards continue after the last key",
		Needs: "lists with the newest first",
		Means: "a list misses entries, shows them twice, or is in the wrong order",
		Units: 20, run: pagesBackwards,
	},
	{
		Name:  "Limit counts the items before the filter",
		Needs: "a service's own queries with a filter",
		Means: "a list ends too early, or costs more than it says",
		Units: 14, run: limitBeforeFilter,
	},
	{
		Name:  "a filter leaves out what it does not accept",
		Needs: "a service's own queries with a filter",
		Means: "a list has entries that were not asked for",
		Units: 11, run: filters,
	},
	{
		Name:  "a page may begin after an item that is deleted",
		Needs: "cursors, which a client may keep for days",
		Means: "a list fails, or begins again, when an entry is deleted",
		Units: 14, run: afterDeleted,
	},
	{
		Name:  "the last key of an index has the keys of the index and of the table",
		Needs: "cursors of lists from an index",
		Means: "a list repeats or misses entries with equal keys",
		Units: 20, run: pagesOfIndex,
	},
	{
		Name:  "a page of as many items as its Limit has a last key, even if nothing follows",
		Needs: "nothing: the library reads on, and finds nothing",
		Means: "costs and the number of pages of a list differ",
		Units: 11, run: fullLastPage,
	},
	{
		Name:  "a page ends after 1 MB",
		Needs: "lists that read on after a page that is full",
		Means: "code that reads one page only passes its tests, and loses entries on AWS",
		Units: 1600, run: megabyte,
	},
	{
		Name:  "a projection returns only what was asked for",
		Needs: "a service's own reads of a part of an item",
		Means: "code passes its tests with attributes that are missing on AWS",
		Units: 4, run: projection,
	},
	{
		Name:  "Select COUNT returns the number without the items",
		Needs: "a service's own counts",
		Means: "a count is wrong",
		Units: 11, run: count,
	},
}

// tens puts ten items, whose v are even and odd in turn, and returns their sort keys.
func (s *scene) tens() (sorts []string) {
	for n := range 10 {
		sorts = append(sorts, fmt.Sprintf("%02d", n))
		s.put(sorts[n], "v", n%2)
	}
	return sorts
}

// walk reads all pages of three items.
func (s *scene) walk(in dynamodb.QueryInput) (all []types.AttributeValue) {
	in.Limit = aws.Int32(3)
	for range 6 {
		page := s.query(in)
		all = append(all, column(page.Items, "sk")...)
		if len(page.LastEvaluatedKey) == 0 {
			return all
		}
		in.ExclusiveStartKey = page.LastEvaluatedKey
	}
	s.differs("there is a last key after ten items in pages of three have been read: %s", short(text(all)))
	return nil
}

func pages(s *scene) {
	sorts := s.tens()
	s.same("the sort keys", textsOf(sorts...), s.walk(dynamodb.QueryInput{ConsistentRead: aws.Bool(true)}))
}

func pagesBackwards(s *scene) {
	s.tens()
	s.same("the sort keys", textsOf("09", "08", "07", "06", "05", "04", "03", "02", "01", "00"),
		s.walk(dynamodb.QueryInput{ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(false)}))
}

// odd accepts every second item.
var odd = dynamodb.QueryInput{
	ConsistentRead: aws.Bool(true), FilterExpression: aws.String("v = :odd"), ExpressionAttributeValues: fields(":odd", 1),
}

func limitBeforeFilter(s *scene) {
	s.tens()
	in := odd
	in.Limit = aws.Int32(4)
	out := s.query(in)
	s.same("the number of items that were read", 4, int(out.ScannedCount))
	s.same("the last key", s.key("03"), dynastay.Item(out.LastEvaluatedKey))
}

func filters(s *scene) {
	s.tens()
	s.same("the sort keys", textsOf("01", "03", "05", "07", "09"), column(s.query(odd).Items, "sk"))
}

func afterDeleted(s *scene) {
	s.tens()
	s.remove("04")
	out := s.query(dynamodb.QueryInput{ConsistentRead: aws.Bool(true), ExclusiveStartKey: s.key("04")})
	s.same("the sort keys", textsOf("05", "06", "07", "08", "09"), column(out.Items, "sk"))
}

func pagesOfIndex(s *scene) {
	sorts := []string{"1", "2", "3", "4", "5"}
	for _, sk := range sorts {
		s.put(sk, "kpk", s.pk, "ksk", "same")
	}
	s.soon(func(s *scene) {
		s.same("the number of rows", 5, len(s.rows(keysIndex, "kpk")))
	})
	in := dynamodb.QueryInput{IndexName: aws.String(keysIndex), KeyConditionExpression: aws.String("kpk = :pk"), Limit: aws.Int32(1)}
	seen := map[string]bool{}
	for n := range sorts {
		out := s.query(in)
		if len(out.Items) != 1 {
			s.differs("a page of one row has %d rows", len(out.Items))
		}
		seen[text(out.Items[0]["sk"])] = true
		if n < len(sorts)-1 {
			s.same("the last key", out.Items[0], dynastay.Item(out.LastEvaluatedKey))
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
	s.same("the number of different rows in five pages of one", 5, len(seen))
}

func fullLastPage(s *scene) {
	s.tens()
	out := s.query(dynamodb.QueryInput{ConsistentRead: aws.Bool(true), Limit: aws.Int32(10)})
	s.same("the last key", s.key("09"), dynastay.Item(out.LastEvaluatedKey))
}

func megabyte(s *scene) {
	for _, sk := range []string{"1", "2", "3"} {
		s.put(sk, "x", strings.Repeat("x", 390<<10))
	}
	out := s.query(dynamodb.QueryInput{})
	if len(out.LastEvaluatedKey) == 0 {
		s.differs("one page has %d items, together of %d KB", len(out.Items), len(out.Items)*390)
	}
}

func projection(s *scene) {
	s.put("a", "v", 1, "m", map[string]any{"x": 1, "y": 2}, "w", "other")
	out, err := s.Client.GetItem(s.ctx, &dynamodb.GetItemInput{
		TableName: &s.items, Key: s.key("a"), ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("sk, m.x"),
	})
	s.done("a read", err)
	s.same("the item", fields("sk", "a", "m", map[string]any{"x": 1}), dynastay.Item(out.Item))
}

func count(s *scene) {
	s.tens()
	out := s.query(dynamodb.QueryInput{ConsistentRead: aws.Bool(true), Select: types.SelectCount})
	s.same("the count", 10, int(out.Count))
	s.same("the number of items", 0, len(out.Items))
}
