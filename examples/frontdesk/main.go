// Frontdesk is a booking platform as a service: what guests do, in pages and over an API, and what the staff of a hotel do, with the
// repositories of dynastay behind it.
//
//	cd examples/frontdesk && go run .
//
// It starts an engine, fills it with a generated world, and serves pages on http://localhost:8080. The description of the API is at
// /openapi.json. Payments go to a simulated provider, which tells of each one two seconds later, and twice. The header X-Cost of each
// answer says what it cost at DynamoDB. README.md has a walk through it.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/dyntest/world"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/users"

	"github.com/dynastay/dynastay/examples/frontdesk/api"
	"github.com/dynastay/dynastay/examples/frontdesk/cost"
	"github.com/dynastay/dynastay/examples/frontdesk/house"
	"github.com/dynastay/dynastay/examples/frontdesk/live"
	"github.com/dynastay/dynastay/examples/frontdesk/pay"
	"github.com/dynastay/dynastay/examples/frontdesk/signin"
	"github.com/dynastay/dynastay/examples/frontdesk/web"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("frontdesk", flag.ContinueOnError)
	flags.SetOutput(out)
	address := flags.String("addr", "localhost:8080", "where to listen")
	hotels := flags.Int("hotels", 30, "number of hotels in the world")
	secure := flags.Bool("secure", false, "send the cookie of a session over HTTPS only, as behind a proxy that has it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	db, streams, remove, err := start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	w := world.New(world.Options{Seed: 1, Properties: *hotels, Nights: 60, Today: dynastay.DateOf(db.Now(), nil), Units: true})
	if err := w.Load(ctx, db, nil); err != nil {
		return err
	}
	h, err := house.New(db, house.Options{OfferKey: secret(), PayKey: secret()})
	if err != nil {
		return err
	}
	staff, err := employ(ctx, h, w)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", *address)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d hotels at http://%s\n", *hotels, listener.Addr())
	fmt.Fprintf(out, "the desk of %s signs in as %s, and the moderator as %s, both with the password %s\n", staff, deskEmail, moderatorEmail, password)
	s := newService(h, w, streams, 2*time.Second)
	s.secure = *secure
	return serve(ctx, s, listener)
}

// Whoever can reach the program may sign in as its staff: the world behind it is made up.
const (
	deskEmail, moderatorEmail = "desk@example.com", "moderator@example.com"
	password                  = "correct horse"
)

// employ lets somebody sign in at the desk of the first hotel that has its rooms one by one, and returns its name.
func employ(ctx context.Context, h *house.House, w *world.World) (string, error) {
	for hotel := range w.Hotels() {
		if hotel.Status != properties.Approved || len(hotel.Units) == 0 || len(hotel.Nights) == 0 {
			continue
		}
		for email, role := range map[string]signin.Role{deskEmail: signin.Desk, moderatorEmail: signin.Moderator} {
			u, err := h.Users.Create(ctx, users.User{Email: email, FirstName: "Dana", LastName: "Ames", Role: users.Customer})
			if err != nil {
				return "", err
			}
			at := hotel.ID
			if role == signin.Moderator {
				at = ""
			}
			if err := h.Signins.Employ(ctx, u.ID, role, at, password); err != nil {
				return "", err
			}
		}
		return hotel.Name, nil
	}
	return "", errors.New("the world has no hotel with a desk: it needs more hotels")
}

// placesOf returns the cities that have hotels.
func placesOf(w *world.World) []house.Place {
	places := map[house.Place]bool{}
	for i := range w.Options().Properties {
		at := w.Hotel(i).Address
		places[house.Place{City: at.City, Country: at.Country}] = true
	}
	return slices.SortedFunc(maps.Keys(places), func(a, b house.Place) int { return strings.Compare(a.String(), b.String()) })
}

// start starts an engine, with tables of its own.
func start(ctx context.Context) (_ *dynastay.DB, streams consumer.Streams, remove func() error, err error) {
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		return nil, nil, nil, err
	}
	prefix, tables := "frontdesk-"+rand.Text()[:8]+"-", append(live.Tables(), signin.Table)
	remove = func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute) // the program ends because ctx has
		defer cancel()
		return errors.Join(e.DeleteTables(ctx, prefix, tables...), e.Stop(ctx))
	}
	if err := e.CreateTables(ctx, prefix, tables...); err != nil {
		return nil, nil, nil, errors.Join(err, remove())
	}
	return dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix, Observer: cost.Observer()}), e.Streams(), remove, nil
}

// secret is a key that is forgotten when the program ends, with the offers that it has signed.
func secret() []byte {
	key := make([]byte, 32)
	rand.Read(key)
	return key
}

// service is what the program serves.
type service struct {
	h          *house.House
	places     []house.Place
	hub        *live.Hub
	streams    consumer.Streams
	secure     bool
	tellsLater time.Duration // the provider
}

func newService(h *house.House, w *world.World, streams consumer.Streams, tellsLater time.Duration) *service {
	return &service{h: h, places: placesOf(w), hub: live.NewHub(), streams: streams, tellsLater: tellsLater}
}

func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	calls := api.New(s.h, s.secure)
	mux.Handle("/v1/", calls)
	mux.Handle("/openapi.json", calls)
	mux.Handle("/", web.New(s.h, s.places, s.hub, func(token string, seconds int) *http.Cookie { return signin.NewCookie(token, seconds, s.secure) }))
	return mux
}

// serve serves until ctx ends, and ends what guests have left.
func serve(ctx context.Context, s *service, listener net.Listener, around ...func(http.Handler) http.Handler) error {
	h := s.h
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second}
	for _, wrap := range around {
		server.Handler = wrap(server.Handler)
	}
	server.RegisterOnShutdown(s.hub.End) // who listens would otherwise keep it waiting
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	work.Go(func() error {
		h.Provider.Deliver(ctx, s.tellsLater, func(ctx context.Context, d pay.Delivery) error {
			err := h.Notice(ctx, d)
			if err != nil {
				slog.ErrorContext(ctx, "a notice of the provider", "notice", string(d.Body), "error", err)
			}
			return err
		})
		return nil
	})
	work.Go(func() error { return h.Expire(ctx, time.Minute) })
	work.Go(func() error { return s.hub.Run(ctx, h.DB, s.streams) })
	work.Go(func() error {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return server.Shutdown(end)
	})
	return work.Wait()
}
