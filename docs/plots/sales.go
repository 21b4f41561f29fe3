package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

// latency is the time that every request takes, besides that of the engine.
const latency = 5 * time.Millisecond

// service is the engine with conflicts, which local engines do not have: of two transactions at the same time, the second
// is cancelled. All of them are for the same night.
type service struct {
	engine   dynamodb.HTTPClient
	requests atomic.Int64
	inFlight sync.Mutex
}

func (s *service) Do(r *http.Request) (*http.Response, error) {
	s.requests.Add(1)
	time.Sleep(latency / 2)
	defer time.Sleep(latency / 2)
	if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems") {
		return s.engine.Do(r)
	}
	if !s.inFlight.TryLock() {
		return conflict(r)
	}
	defer s.inFlight.Unlock()
	return s.engine.Do(r)
}

func conflict(r *http.Request) (*http.Response, error) {
	var in struct{ TransactItems []json.RawMessage }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	reasons := slices.Repeat([]map[string]string{{"Code": "TransactionConflict"}}, len(in.TransactItems))
	body, err := json.Marshal(map[string]any{
		"__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException", "CancellationReasons": reasons,
	})
	return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, err
}

var errSoldOut = errors.New("sold out")

// loop is a sale as it is usually written with the SDK alone: read the night, sell it if it still has a room, and begin
// again after a conflict.
type loop struct {
	client         *dynamodb.Client
	nights, booked string // names of the tables
}

func (l loop) buy(ctx context.Context, roomTypeID, buyer string) error {
	at, err := key.Of(keys.Night{RoomTypeID: roomTypeID, Date: stay.CheckIn})
	if err != nil {
		return err
	}
	of := keys.AvailabilityTable.Key.Of(at)
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		night, err := l.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &l.nights, Key: of, ConsistentRead: aws.Bool(true)})
		if err != nil {
			return err
		}
		if left, ok := night.Item["AvailableRooms"].(*types.AttributeValueMemberN); !ok || left.Value == "0" {
			return errSoldOut
		}
		_, err = l.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Update: &types.Update{
				TableName: &l.nights, Key: of,
				UpdateExpression:          aws.String("SET AvailableRooms = AvailableRooms - :one"),
				ConditionExpression:       aws.String("AvailableRooms >= :one"),
				ExpressionAttributeValues: dynastay.Item{":one": dynastay.Number(1)},
			}},
			{Put: &types.Put{TableName: &l.booked, Item: dynastay.Item{
				"PK": dynastay.Text("BOOKING#" + roomTypeID + buyer), "SK": dynastay.Text("METADATA"),
			}}},
		}})
		var cancelled *types.TransactionCanceledException
		if !errors.As(err, &cancelled) {
			return err
		}
		time.Sleep(rand.N(wait))
	}
}

// sale is what a sale to a number of buyers took.
type sale struct {
	requests float64
	took     float64 // milliseconds, until every buyer had an answer
}

// race lets buyers buy at the same time, one of whom gets the room.
func (s *service) race(buyers int, refused error, buy func(buyer string) error) (sale, error) {
	s.requests.Store(0)
	errs := make([]error, buyers)
	var all sync.WaitGroup
	began := time.Now()
	for i := range buyers {
		all.Go(func() { errs[i] = buy(fmt.Sprint("user_", i)) })
	}
	all.Wait()
	took := time.Since(began)
	sold := 0
	for _, err := range errs {
		switch {
		case err == nil:
			sold++
		case !errors.Is(err, refused):
			return sale{}, err
		}
	}
	if sold != 1 {
		return sale{}, fmt.Errorf("%d rooms sold", sold)
	}
	return sale{float64(s.requests.Load()), float64(took.Microseconds()) / 1000}, nil
}

const rounds = 5

// drawSales draws the median of some rounds for each number of buyers.
func drawSales(ctx context.Context, client *dynamodb.Client, prefix string) error {
	options := client.Options()
	s := &service{engine: options.HTTPClient}
	options.HTTPClient = s
	slow := dynamodb.New(options)
	db := open(slow, prefix, nil)
	library := bookings.New(db, nil)
	plain := loop{slow, prefix + keys.AvailabilityTable.Name, prefix + keys.BookingsTable.Name}

	const groups = "buyers at the same time"
	requests := chart{title: "Requests of all buyers", groups: groups}
	times := chart{title: "Milliseconds until every buyer has an answer", groups: groups}
	for _, buyers := range []int{1, 4, 16, 64} {
		var byLibrary, byLoop []sale
		for round := range rounds {
			name := fmt.Sprintf("hotel-%d-%d", buyers, round)
			h, err := hotel(ctx, open(client, prefix, nil), properties.Property{
				Name: name, Slug: name, Address: properties.Address{City: name, Country: "Portugal", Latitude: 38.71, Longitude: -9.14},
			}, []properties.RoomType{room("Library", 1, 100), room("Loop", 1, 100)})
			if err != nil {
				return err
			}
			ask, err := h.Card().QuoteRequest(dynastay.Stay{CheckIn: stay.CheckIn, CheckOut: stay.CheckIn.AddDays(1)}, guests,
				properties.Choice{RoomTypeID: h.Rooms[0].ID, Quantity: 1})
			if err != nil {
				return err
			}
			quote, err := availability.New(db).Quote(ctx, ask)
			if err != nil {
				return err
			}
			sold, err := s.race(buyers, dynastay.ErrRefused, func(buyer string) error {
				_, err := library.Create(ctx, bookings.Request{
					Quote: quote, UserID: buyer, Guest: bookings.Guest{FirstName: "Ada", LastName: "Byron", Email: "ada@example.com"},
				})
				return err
			})
			if err != nil {
				return err
			}
			byLibrary = append(byLibrary, sold)
			if sold, err = s.race(buyers, errSoldOut, func(buyer string) error { return plain.buy(ctx, h.Rooms[1].ID, buyer) }); err != nil {
				return err
			}
			byLoop = append(byLoop, sold)
		}
		sent := func(s sale) float64 { return s.requests }
		took := func(s sale) float64 { return s.took }
		requests.add(fmt.Sprint(buyers), median(byLibrary, sent), median(byLoop, sent))
		times.add(fmt.Sprint(buyers), median(byLibrary, took), median(byLoop, took))
	}
	return save("sale", []string{"this library", "retry loop on the SDK"}, requests, times)
}

func median(sales []sale, value func(sale) float64) float64 {
	values := make([]float64, len(sales))
	for i, s := range sales {
		values[i] = value(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func room(name string, rooms, price int) properties.RoomType {
	return properties.RoomType{
		Name: name, Limits: availability.Limits{MaxAdults: 2, MaxOccupancy: 2}, Total: rooms,
		BasePrice: dynastay.MustMoney(fmt.Sprint(price), "EUR"),
	}
}
