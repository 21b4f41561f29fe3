package dyntest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/dynastay/dynastay/dyntest/engine"
)

// exchange is one HTTP request from the SDK to the engine. Each of the SDK's retries is a separate exchange.
// See docs/decisions/0006-faults-on-the-wire.md for why nothing above it is wrapped.
type exchange struct {
	*http.Request // as the SDK made it, its body already read
	operation     string
	body          []byte // what is passed on; a stage may replace it, but must not modify it
}

// with returns the exchange with a different body.
func (x *exchange) with(body []byte) *exchange {
	changed := *x
	changed.body = body
	return &changed
}

// hop passes an exchange on and returns the answer.
type hop func(*exchange) (*http.Response, error)

// stage is a step between the SDK and the engine. It passes an exchange on by calling next: once, or not at all.
type stage func(x *exchange, next hop) (*http.Response, error)

// wire is a transport through stages, the first one nearest to the SDK.
type wire struct {
	stages []stage
	engine http.RoundTripper
	sign   func(req *http.Request, body []byte) error
}

// signer returns a function that signs a request anew, as an engine such as ExtendDB requires of a request that was
// changed after the SDK has signed it.
func signer(on *engine.Engine) func(*http.Request, []byte) error {
	signer, client := v4.NewSigner(), on.Client().Options()
	return func(req *http.Request, body []byte) error {
		key, err := client.Credentials.Retrieve(req.Context())
		if err != nil {
			return err
		}
		sum := sha256.Sum256(body)
		return signer.SignHTTP(req.Context(), key, req, hex.EncodeToString(sum[:]), "dynamodb", client.Region, time.Now())
	}
}

// targetHeader has the service and the operation of a request, such as "DynamoDB_20120810.GetItem".
const targetHeader = "X-Amz-Target"

// RoundTrip implements [http.RoundTripper].
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err := errors.Join(err, req.Body.Close()); err != nil {
		return nil, err
	}
	_, operation, _ := strings.Cut(req.Header.Get(targetHeader), ".")
	return w.pass(w.stages, &exchange{req, operation, body})
}

func (w *wire) pass(stages []stage, x *exchange) (*http.Response, error) {
	if len(stages) > 0 {
		return stages[0](x, func(x *exchange) (*http.Response, error) { return w.pass(stages[1:], x) })
	}
	req := x.Clone(x.Context())
	req.Body = io.NopCloser(bytes.NewReader(x.body))
	req.ContentLength = int64(len(x.body))
	if err := w.sign(req, x.body); err != nil {
		return nil, err
	}
	return w.engine.RoundTrip(req)
}

// readAnswer reads an answer to its end: once its last byte has arrived, the engine has certainly carried out the
// request. The answer itself stays readable.
func readAnswer(resp *http.Response) ([]byte, error) {
	body, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

// replaceAnswer replaces the body of an answer. The engine's checksum is removed, since it belongs to the old body.
func replaceAnswer(resp *http.Response, body []byte) {
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	resp.Header.Del("X-Amz-Crc32")
	resp.Header.Del("Content-Length")
}

// edit returns a JSON object after a change to its fields.
func edit(object []byte, change func(map[string]json.RawMessage) error) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, err
	}
	if err := change(fields); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}
