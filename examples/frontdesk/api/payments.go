package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dynastay/dynastay/examples/frontdesk/pay"
)

type payIn struct {
	Own
	Once
	Body struct {
		Method string `json:"method" enum:"card,card_declined,paypal" doc:"A card that is declined is for trying it."`
	}
}

type payOut struct {
	Body struct {
		TransactionID string `json:"transactionId" doc:"The provider tells later what has become of it: read the booking again."`
	}
}

func (s *server) pay(ctx context.Context, in *payIn) (*payOut, error) {
	user, err := s.userOf(ctx, in.Signed)
	if err != nil {
		return nil, err
	}
	out := &payOut{}
	out.Body.TransactionID, err = s.house.Pay(ctx, user, in.ID, in.Body.Method, in.Key)
	return out, err
}

type receiptOut struct {
	Body struct {
		Entries []entry `json:"entries"`
		Total   *money  `json:"total"`
		Paid    *money  `json:"paid"`
		Balance *money  `json:"balance" doc:"What is still to be paid; if negative, what is paid back."`
		DueNow  *money  `json:"dueNow,omitempty"`
	}
}

type entry struct {
	Kind   string `json:"kind" doc:"Such as rooms, charge or payment."`
	Name   string `json:"name,omitempty"`
	Amount *money `json:"amount"`
}

func (s *server) receipt(ctx context.Context, in *Own) (*receiptOut, error) {
	user, err := s.userOf(ctx, in.Signed)
	if err != nil {
		return nil, err
	}
	a, err := s.house.Account(ctx, user, in.ID)
	if err != nil {
		return nil, err
	}
	r := a.Receipt
	out := &receiptOut{}
	b := &out.Body
	b.Entries = []entry{}
	b.Total, b.Paid, b.Balance, b.DueNow = moneyOf(r.Total), moneyOf(r.Paid), moneyOf(r.Balance), moneyOf(r.DueNow)
	for _, e := range r.Entries {
		b.Entries = append(b.Entries, entry{string(e.Kind), e.Name, moneyOf(e.Amount)})
	}
	return out, nil
}

type noticeIn struct {
	Signature string `header:"X-Signature" required:"true"`
	RawBody   []byte
}

// notice takes a notice of the provider. It may come late, twice, and in any order.
func (s *server) notice(ctx context.Context, in *noticeIn) (*struct{}, error) {
	return nil, s.house.Notice(ctx, pay.Delivery{Body: in.RawBody, Signature: in.Signature})
}

func (s *server) payments(a huma.API) {
	const bad, gone, refused, invalid = http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity
	handle(a, operation("pay", http.MethodPost, "/v1/bookings/{id}/payments", "Pay what is due", http.StatusAccepted,
		bad, gone, refused, invalid), s.pay)
	handle(a, operation("get-receipt", http.MethodGet, "/v1/bookings/{id}/receipt", "What a booking costs, and what has been paid", http.StatusOK,
		bad, gone), s.receipt)
	handle(a, operation("notify", http.MethodPost, "/v1/notices", "For the payment provider", http.StatusNoContent, gone, refused, invalid), s.notice)
}
