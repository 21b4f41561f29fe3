package dyntest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// Sweep removes every item of the test's tables that has expired by Clock, as DynamoDB's time to live does eventually,
// and returns the removed items in order. Until then expired items still exist, as they may in DynamoDB for days: the
// engine's own time to live is disabled for a test's tables, because it follows the machine's clock.
//
// The rules are DynamoDB's. An item has expired if the attribute that its schema names as TTL is a number of whole Unix
// seconds that is before the current time, but at most five years before it; DynamoDB never removes older items. An
// item whose attribute changes during Sweep is not removed.
//
// Sweep bypasses Faults and is not measured. It fails the test if the engine does not respond, so call it on the test's
// goroutine.
func (d *DB) Sweep() []dynastay.Ref {
	d.t.Helper()
	ctx := context.WithoutCancel(d.t.Context()) // a cleanup may sweep too
	var swept []dynastay.Ref
	for _, s := range d.schemas {
		if s.TTL == "" {
			continue
		}
		refs, err := d.sweep(ctx, s)
		if err != nil {
			d.t.Fatalf("dyntest: sweep table %s: %v", s.Name, err)
		}
		swept = append(swept, refs...)
	}
	slices.SortFunc(swept, func(a, b dynastay.Ref) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Key.PK, b.Key.PK), cmp.Compare(a.Key.SK, b.Key.SK))
	})
	return swept
}

// sweep reads the whole table. The library itself never does; this simulates what the service does in the background.
func (d *DB) sweep(ctx context.Context, s *dynastay.Schema) ([]dynastay.Ref, error) {
	client, name := d.Engine.Client(), d.TableName(s)
	var swept []dynastay.Ref
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: &name, ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			if !expired(item[s.TTL], d.Clock.Now()) {
				continue
			}
			gone, err := removeUnchanged(ctx, client, name, s, item)
			if err != nil {
				return nil, err
			}
			if gone {
				swept = append(swept, dynastay.RefOf(s, s.Key.From(dynastay.RowOf(item))))
			}
		}
	}
	return swept, nil
}

func expired(ttl types.AttributeValue, now time.Time) bool {
	number, ok := ttl.(*types.AttributeValueMemberN)
	if !ok {
		return false
	}
	at, err := strconv.ParseInt(number.Value, 10, 64)
	return err == nil && at < now.Unix() && at >= now.AddDate(-5, 0, 0).Unix()
}

// removeUnchanged removes an item, unless its time to live differs from what was read.
func removeUnchanged(ctx context.Context, client *dynamodb.Client, table string, s *dynastay.Schema, item dynastay.Item) (bool, error) {
	_, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName:                 &table,
		Key:                       s.Key.Of(s.Key.From(dynastay.RowOf(item))),
		ConditionExpression:       aws.String("#ttl = :read"),
		ExpressionAttributeNames:  map[string]string{"#ttl": s.TTL},
		ExpressionAttributeValues: dynastay.Item{":read": item[s.TTL]},
	})
	var changed *types.ConditionalCheckFailedException
	if errors.As(err, &changed) {
		return false, nil
	}
	return err == nil, err
}
