package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/dynastay/dynastay"
)

// scene is where a case is played: a partition of its own. A step that fails ends the case.
type scene struct {
	*session
	ctx context.Context
	pk  string
}

// inVault returns the scene in the other table.
func (s *scene) inVault() *scene {
	vault := *s.session
	vault.items = s.vault
	return &scene{session: &vault, ctx: s.ctx, pk: s.pk}
}

func (s *scene) differs(format string, args ...any) {
	panic(ending{Differs, fmt.Sprintf(format, args...)})
}

func (s *scene) notShown(format string, args ...any) {
	panic(ending{NotShown, fmt.Sprintf(format, args...)})
}

// busy are refusals that say nothing about what an engine can do.
var busy = []string{"ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded",
	"LimitExceededException", "InternalServerError"}

// done ends the case if a request was not carried out.
func (s *scene) done(what string, err error) {
	switch code := refusal(err); {
	case err == nil:
	case code == "" || slices.Contains(busy, code):
		s.notShown("the engine did not respond: %s: %v", what, err)
	default:
		s.differs("%s was refused: %s", what, describe(err))
	}
}

// refused ends the case unless a request was refused with one of the codes.
func (s *scene) refused(what string, err error, codes ...string) {
	if err == nil {
		s.differs("%s was accepted", what)
	}
	code := refusal(err)
	if code == "" || slices.Contains(busy, code) {
		s.done(what, err)
	}
	if !slices.Contains(codes, code) {
		s.differs("%s was refused with %s", what, describe(err))
	}
}

// refusal returns the code with which the engine has refused a request, or "" if it did not respond.
func refusal(err error) string {
	var refused smithy.APIError
	if errors.As(err, &refused) {
		return refused.ErrorCode()
	}
	return ""
}

// describe returns the refusal without what the SDK puts around it, such as the id of the request.
func describe(err error) string {
	var refused smithy.APIError
	errors.As(err, &refused)
	message, _, _ := strings.Cut(refused.ErrorMessage(), "\n")
	if message == "" {
		return refused.ErrorCode()
	}
	return refused.ErrorCode() + ": " + short(message)
}

// same ends the case unless two values are the same.
func (s *scene) same(what string, want, got any) {
	if w, g := text(want), text(got); w != g {
		s.differs("%s: %s instead of %s", what, short(g), short(w))
	}
}

// soon repeats a step until it does not differ, for what may lag.
func (s *scene) soon(step func(*scene)) {
	until := time.Now().Add(s.Lag)
	for wait := time.Millisecond; ; wait *= 2 {
		verdict, seen := play(s, step)
		if verdict == AsRequired {
			return
		}
		if verdict == NotShown || time.Now().Add(wait).After(until) {
			panic(ending{verdict, seen})
		}
		s.pause(wait)
	}
}

func (s *scene) pause(wait time.Duration) {
	select {
	case <-s.ctx.Done():
		s.notShown("the engine did not respond: %v", s.ctx.Err())
	case <-time.After(wait):
	}
}

// key returns the key of an item of the case.
func (s *scene) key(sk string) dynastay.Item { return fields("pk", s.pk, "sk", sk) }

// item returns an item of the case, with attributes.
func (s *scene) item(sk string, attributes ...any) dynastay.Item {
	return fields(append([]any{"pk", s.pk, "sk", sk}, attributes...)...)
}

func (s *scene) put(sk string, attributes ...any) { s.putItem(s.item(sk, attributes...)) }

func (s *scene) putItem(item dynastay.Item) {
	_, err := s.Client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: &s.items, Item: item})
	s.done("a put", err)
}

// stored returns an item of the case, or nil.
func (s *scene) stored(sk string) dynastay.Item {
	out, err := s.Client.GetItem(s.ctx, &dynamodb.GetItemInput{
		TableName: &s.items, Key: s.key(sk), ConsistentRead: aws.Bool(true),
	})
	s.done("a read", err)
	return out.Item
}

// is ends the case unless an item is stored with exactly these attributes.
func (s *scene) is(sk string, attributes ...any) {
	s.same("stored", s.item(sk, attributes...), s.stored(sk))
}

// gone ends the case if an item is stored.
func (s *scene) gone(sk string) { s.same("stored", dynastay.Item(nil), s.stored(sk)) }

// update sends an update, with names and values for the placeholders of its expression.
func (s *scene) update(sk, expression string, placeholders ...any) error {
	names, values := split(placeholders)
	_, err := s.Client.UpdateItem(s.ctx, &dynamodb.UpdateItemInput{
		TableName: &s.items, Key: s.key(sk), UpdateExpression: &expression,
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	})
	return err
}

// updated is update for one that must be carried out.
func (s *scene) updated(sk, expression string, placeholders ...any) {
	s.done("the update "+short(expression), s.update(sk, expression, placeholders...))
}

// remove deletes an item of the case.
func (s *scene) remove(sk string) {
	_, err := s.Client.DeleteItem(s.ctx, &dynamodb.DeleteItemInput{TableName: &s.items, Key: s.key(sk)})
	s.done("a delete", err)
}

// query asks for the items of the case, unless it has a condition for keys of its own.
func (s *scene) query(in dynamodb.QueryInput) *dynamodb.QueryOutput {
	out, err := s.tryQuery(in)
	s.done("a query", err)
	return out
}

func (s *scene) tryQuery(in dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	in.TableName = &s.items
	if in.KeyConditionExpression == nil {
		in.KeyConditionExpression = aws.String("pk = :pk")
	}
	values := fields(":pk", s.pk)
	for name, value := range in.ExpressionAttributeValues {
		values[name] = value
	}
	in.ExpressionAttributeValues = values
	return s.Client.Query(s.ctx, &in)
}

// rows asks an index for the rows whose partition key is that of the case.
func (s *scene) rows(index, partition string) []dynastay.Item {
	return s.query(dynamodb.QueryInput{IndexName: &index, KeyConditionExpression: aws.String(partition + " = :pk")}).Items
}

// column returns one attribute of each item.
func column(items []dynastay.Item, attribute string) (column []types.AttributeValue) {
	for _, item := range items {
		column = append(column, item[attribute])
	}
	return column
}

// transact sends a transaction.
func (s *scene) transact(actions ...types.TransactWriteItem) error {
	_, err := s.Client.TransactWriteItems(s.ctx, &dynamodb.TransactWriteItemsInput{TransactItems: actions})
	return err
}

// cancelled returns why the actions of a transaction were cancelled, and ends the case if it was not.
func (s *scene) cancelled(err error) []types.CancellationReason {
	s.refused("the transaction", err, "TransactionCanceledException")
	var cancelled *types.TransactionCanceledException
	errors.As(err, &cancelled)
	return cancelled.CancellationReasons
}

// codes returns the codes of reasons. An action without a reason has None.
func codes(reasons []types.CancellationReason) (codes []string) {
	for _, r := range reasons {
		codes = append(codes, aws.ToString(r.Code))
	}
	return codes
}

const (
	validation = "ValidationException"
	failed     = "ConditionalCheckFailedException"
	missing    = "ResourceNotFoundException"
)
