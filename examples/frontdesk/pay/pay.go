// Package pay simulates a payment provider. It charges at once, and tells of it later, and twice, as providers do: the service must
// not count on an order, or on being told once.
package pay

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
)

// Name is that of the provider in payments.
const Name = "paysim"

// Declined is the method of payment that the provider declines. It takes any other.
const Declined = "card_declined"

// Charge asks for money.
type Charge struct {
	BookingID string
	Amount    dynastay.Money
	Method    string
	Key       string // of the request: charges with the same one are one
}

// Notice tells what has become of a charge, or of a refund.
type Notice struct {
	TransactionID string         `json:"transactionId"`
	BookingID     string         `json:"bookingId"`
	RefundID      string         `json:"refundId,omitempty"`
	Amount        dynastay.Money `json:"amount"`
	Method        string         `json:"method"`
	Declined      bool           `json:"declined"`
	At            time.Time      `json:"at"`
}

// Delivery is a notice as it is sent.
type Delivery struct {
	Body      []byte
	Signature string
}

// Provider is the simulated provider. What it has to tell waits until somebody takes it, or it is delivered.
type Provider struct {
	secret []byte
	now    func() time.Time

	mu      sync.Mutex
	charged map[string]Notice // by key
	waiting []Delivery
	changed chan struct{} // has an element if deliveries wait
}

// New returns a provider that signs its notices with a secret.
func New(secret []byte, now func() time.Time) *Provider {
	return &Provider{secret: secret, now: now, charged: map[string]Notice{}, changed: make(chan struct{}, 1)}
}

// TransactionID returns the id of the transaction of a key, before or after it is charged.
func TransactionID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "tx_" + hex.EncodeToString(sum[:8])
}

// Charged returns the charge of a key, if there is one.
func (p *Provider) Charged(key string) (Notice, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, is := p.charged[key]
	return n, is
}

// Charge charges. A repeated charge is answered as the first one, and charges nothing.
func (p *Provider) Charge(c Charge) {
	p.once(c.Key, Notice{TransactionID: TransactionID(c.Key), BookingID: c.BookingID, Amount: c.Amount, Method: c.Method, Declined: c.Method == Declined})
}

// Refund pays back a part of a transaction. The id is the service's; a repeated refund is one.
func (p *Provider) Refund(transactionID, bookingID, refundID string, amount dynastay.Money) {
	p.once("refund "+bookingID+" "+refundID, Notice{TransactionID: transactionID, BookingID: bookingID, RefundID: refundID, Amount: amount})
}

// once does what a notice tells, once for a key, and queues the notice twice.
func (p *Provider) once(key string, n Notice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.charged[key]; known {
		return
	}
	n.At = p.now().Truncate(time.Millisecond)
	p.charged[key] = n
	body, err := json.Marshal(n)
	if err != nil {
		panic(err) // it has text, money and times
	}
	d := Delivery{body, p.sign(body)}
	p.waiting = append(p.waiting, d, d)
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

func (p *Provider) sign(body []byte) string {
	mac := hmac.New(sha256.New, p.secret)
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// Read returns the notice of a delivery, and whether the provider has signed it.
func (p *Provider) Read(d Delivery) (n Notice, signed bool) {
	if !hmac.Equal([]byte(d.Signature), []byte(p.sign(d.Body))) {
		return n, false
	}
	return n, json.Unmarshal(d.Body, &n) == nil
}

// Take returns the deliveries that wait, which then wait no longer.
func (p *Provider) Take() []Delivery {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.waiting
	p.waiting = nil
	return taken
}

// Deliver calls send with each delivery after a delay, until ctx ends. What send refuses is delivered again, each time after twice the
// time.
func (p *Provider) Deliver(ctx context.Context, delay time.Duration, send func(context.Context, Delivery) error) {
	var all sync.WaitGroup
	defer all.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.changed:
		}
		for _, d := range p.Take() {
			all.Go(func() {
				for wait := delay; ; wait *= 2 {
					select {
					case <-ctx.Done():
						return
					case <-time.After(wait):
					}
					if send(ctx, d) == nil {
						return
					}
				}
			})
		}
	}
}
