package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity"
)

// message is an item of the application: what is to be sent to a guest.
type message struct{ ID, Text string }

var messages = entity.New(entity.Spec[message]{
	Name:   "Message",
	Schema: &dynastay.Schema{Name: "Outbox", Key: dynastay.KeyNames{Partition: "id"}},
	Key:    func(m *message) (dynastay.Key, error) { return dynastay.Key{PK: m.ID}, nil },
	Codec: entity.Declare(func(f *entity.Fields, m *message) {
		f.String("id", &m.ID)
		f.String("text", &m.Text)
	}),
})

// A room is held while its guest pays. The confirmation and the message about it are written together, or neither is. Once
// the hold is over, the room is back on sale.
func ExampleRepository_ConfirmOp() {
	ctx := context.Background()
	db, clock, quote, stop := openHotel(ctx, messages.Schema)
	defer stop()
	repo, outbox := bookings.New(db, nil), entity.NewTable(db, messages)
	request := bookings.Request{
		Quote: quote, UserID: "user_789", Hold: 15 * time.Minute,
		Guest: bookings.Guest{FirstName: "John", LastName: "Doe", Email: "john.doe@example.com"},
	}
	slow, err := repo.Create(ctx, request)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(slow.Status, "until", slow.HoldExpiresAt.Format(time.TimeOnly))

	*clock = clock.Add(20 * time.Minute)
	_, err = repo.Confirm(ctx, slow.ID, nil)
	fmt.Println(errors.Is(err, bookings.ErrHoldEnded))
	swept, err := repo.ExpireHolds(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("expired:", len(swept.Expired))

	quick, err := repo.Create(ctx, request)
	if err != nil {
		log.Fatal(err)
	}
	confirm := repo.ConfirmOp(quick.ID, nil)
	note := outbox.PutOp(&message{ID: "msg_1", Text: "Your room is confirmed: " + quick.ID})
	if err := db.Write(ctx, confirm, note); err != nil {
		log.Fatal(err)
	}
	fmt.Println(confirm.Result().Status)
	// Output:
	// pending until 12:15:00
	// true
	// expired: 1
	// confirmed
}
