package entity_test

import (
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// Message is an entity of a service.
type Message struct {
	ID     string
	Sender string
	SentAt time.Time
	Fee    dynastay.Money
	Tags   []string
}

func ExampleDeclare() {
	messages := entity.Declare(func(f *entity.Fields, m *Message) {
		f.String("MessageId", &m.ID)
		f.String("Sender", &m.Sender)
		f.Time("SentAt", &m.SentAt)
		f.Money("Fee", "Currency", &m.Fee)
		f.Strings("Tags", &m.Tags)
	})
	item, err := messages.Encode(&Message{
		ID: "msg_1", SentAt: time.Date(2025, 1, 15, 9, 30, 0, 0, time.UTC), Fee: dynastay.MustMoney("0.50", "EUR"),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(item), "attributes, SentAt is", dynastay.RowOf(item).Text("SentAt"))

	var m Message
	if err := messages.Decode(dynastay.RowOf(item), &m); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.ID, m.Fee)

	item["Tags"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{dynastay.Text("new"), dynastay.Number(1)}}
	fmt.Println(messages.Decode(dynastay.RowOf(item), &m))
	// Output:
	// 4 attributes, SentAt is 2025-01-15T09:30:00Z
	// msg_1 0.50 EUR
	// item (Tags[1]): unreadable item: must be text, got a number
}
