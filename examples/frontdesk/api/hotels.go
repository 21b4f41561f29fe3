package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"

	"github.com/dynastay/dynastay/examples/frontdesk/house"
)

// Asked is what guests ask for, of a city or of one hotel.
type Asked struct {
	Adults           int    `query:"adults" minimum:"1" maximum:"30" default:"2"`
	ChildAges        []int  `query:"childAges" maxItems:"29" doc:"The ages of the children at check-in."`
	Rooms            int    `query:"rooms" minimum:"1" maximum:"30" default:"1"`
	Currency         string `query:"currency" doc:"Required by maxNightly and by an order by price."`
	MaxNightly       string `query:"maxNightly" doc:"What the guest pays for a night at most, such as 180.00."`
	FreeCancellation bool   `query:"freeCancellation"`
}

func (a *Asked) request(nights stay) (r search.Request, err error) {
	if r.Stay, err = nights.read(); err != nil {
		return r, err
	}
	r.Guests = availability.Guests{Adults: a.Adults, Children: len(a.ChildAges)}
	r.ChildAges, r.Rooms, r.Currency = a.ChildAges, a.Rooms, dynastay.Currency(a.Currency)
	r.Filter.FreeCancellation = a.FreeCancellation
	if a.MaxNightly != "" {
		r.Filter.MaxNightly, err = (&money{a.MaxNightly, a.Currency}).read("maxNightly")
	}
	return r, err
}

// offered is what can be booked, with the token of the offer.
type offered struct {
	Lines []line `json:"lines"`
	Pays  *money `json:"pays" doc:"What the guest pays with the booking: the rooms, the taxes and the fees."`
	Taxes []tax  `json:"taxes,omitempty" doc:"The taxes and fees, also those that are paid at the hotel."`
	Offer string `json:"offer" doc:"Book it with POST /v1/bookings. It lasts 20 minutes, and reserves nothing."`
}

type tax struct {
	Name     string `json:"name"`
	Amount   *money `json:"amount"`
	Included bool   `json:"included"`
	AtHotel  bool   `json:"atHotel"`
}

func offersOf(all []house.Offered) []offered {
	offers := []offered{}
	for _, o := range all {
		to := offered{Lines: linesOf(o.Lines), Pays: moneyOf(o.Pays), Offer: o.Token}
		if o.Charges != nil {
			for _, e := range o.Charges.Entries {
				to.Taxes = append(to.Taxes, tax{e.Name, moneyOf(e.Amount), e.Included, e.AtProperty})
			}
		}
		offers = append(offers, to)
	}
	return offers
}

type found struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Stars   int       `json:"stars"`
	Rating  string    `json:"rating,omitempty" doc:"The average of the guests, from 1.0 to 10.0."`
	Reviews int       `json:"reviews"`
	Image   string    `json:"image,omitempty"`
	Offers  []offered `json:"offers"`
}

type searchIn struct {
	Visitor
	Dates
	Asked
	Page
	City      string   `query:"city" required:"true"`
	Country   string   `query:"country" required:"true"`
	Stars     []int    `query:"stars" maxItems:"5"`
	MinRating int      `query:"minRating" minimum:"0" maximum:"100" doc:"In tenths: 85 is 8.5."`
	Amenities []string `query:"amenities" maxItems:"20" doc:"All of these."`
	Sort      string   `query:"sort" enum:",best_rated,lowest_price,highest_price,lowest_total,highest_total"`
}

type searchOut struct {
	Link string `header:"Link"`
	Body struct {
		Hotels []found `json:"hotels"`
	}
}

func (s *server) search(ctx context.Context, in *searchIn) (*searchOut, error) {
	user, err := s.anyoneOf(ctx, in.Visitor)
	if err != nil {
		return nil, err
	}
	r, err := in.request(stay(in.Dates))
	if err != nil {
		return nil, err
	}
	r.City, r.Country, r.Sort = in.City, in.Country, search.Sort(in.Sort)
	r.Filter.Stars, r.Filter.MinRating, r.Filter.AmenityIDs = in.Stars, dynastay.Rating(in.MinRating), in.Amenities
	hotels, next, err := s.house.Search(ctx, user, r, in.paging())
	if err != nil {
		return nil, err
	}
	out := &searchOut{Link: in.next(next)}
	out.Body.Hotels = []found{}
	for _, h := range hotels {
		c := h.Property
		out.Body.Hotels = append(out.Body.Hotels, found{
			c.PropertyID, c.Name, c.Stars, ratingOf(c.Rating), c.ReviewCount, c.PrimaryImageURL, offersOf(h.Offers),
		})
	}
	return out, nil
}

func ratingOf(r dynastay.Rating) string {
	if r == 0 {
		return ""
	}
	return r.String()
}

type room struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Sleeps      int    `json:"sleeps"`
	From        *money `json:"from" doc:"The base price of a night."`
}

type hotelIn struct {
	Visitor
	Asked
	ID       string `path:"id"`
	CheckIn  string `query:"checkIn" format:"date"`
	CheckOut string `query:"checkOut" format:"date"`
	IfTag    string `header:"If-None-Match"`
}

type hotelOut struct {
	Status int
	ETag   string `header:"ETag"`
	Body   *hotel
}

type hotel struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	City        string    `json:"city"`
	Country     string    `json:"country"`
	Stars       int       `json:"stars"`
	Rating      string    `json:"rating,omitempty"`
	Reviews     int       `json:"reviews"`
	CheckIn     string    `json:"checkInTime,omitempty"`
	CheckOut    string    `json:"checkOutTime,omitempty"`
	Images      []string  `json:"images"`
	Rooms       []room    `json:"rooms"`
	Plans       []string  `json:"plans" doc:"The names of the rate plans."`
	Offers      []offered `json:"offers" doc:"For the dates of the request, if it has some."`
	None        string    `json:"noOffers,omitempty" doc:"Why there are none."`
}

// hotel returns a hotel, with its offers if the request has dates. Without dates, the answer has a tag. It is one of the answer, because
// the version of a property does not count its rooms, images and ratings. Offers have none, because they last minutes.
func (s *server) hotel(ctx context.Context, in *hotelIn) (*hotelOut, error) {
	user, err := s.anyoneOf(ctx, in.Visitor)
	if err != nil {
		return nil, err
	}
	var r *search.Request
	if in.CheckIn != "" || in.CheckOut != "" {
		asked, err := in.request(stay{in.CheckIn, in.CheckOut})
		if err != nil {
			return nil, err
		}
		r = &asked
	}
	shown, err := s.house.Show(ctx, user, in.ID, r)
	if err != nil {
		return nil, err
	}
	out := &hotelOut{Status: http.StatusOK, Body: hotelOf(shown)}
	if r == nil {
		if out.ETag, err = tagOf(out.Body); err != nil {
			return nil, err
		}
		if out.ETag == in.IfTag {
			return &hotelOut{Status: http.StatusNotModified, ETag: out.ETag}, nil
		}
	}
	return out, nil
}

func tagOf(body any) (string, error) {
	text, err := json.Marshal(body)
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:8]) + `"`, err
}

func hotelOf(shown *house.Shown) *hotel {
	to := &hotel{
		ID: shown.ID, Name: shown.Name, Description: shown.Description, City: shown.Address.City, Country: shown.Address.Country,
		Stars: shown.Stars, Rating: ratingOf(shown.Rating), Reviews: shown.ReviewCount, CheckIn: shown.CheckInTime, CheckOut: shown.CheckOutTime,
		Images: []string{}, Rooms: []room{}, Plans: []string{}, Offers: offersOf(shown.Offers),
	}
	for _, image := range shown.Images {
		to.Images = append(to.Images, image.URL)
	}
	for _, r := range shown.Rooms {
		to.Rooms = append(to.Rooms, roomOf(r))
	}
	for _, p := range shown.Plans {
		to.Plans = append(to.Plans, p.Name)
	}
	if shown.None != nil {
		to.None = shown.None.Error()
	}
	return to
}

func roomOf(r properties.RoomType) room {
	return room{r.ID, r.Name, r.Description, r.MaxOccupancy, moneyOf(r.BasePrice)}
}

type reviewsIn struct {
	Page
	ID string `path:"id"`
}

type reviewsOut struct {
	Link string `header:"Link"`
	Body struct {
		Reviews []review `json:"reviews"`
	}
}

type review struct {
	Guest   string `json:"guest"`
	Country string `json:"country,omitempty"`
	Rating  string `json:"rating"`
	Title   string `json:"title,omitempty"`
	Text    string `json:"text"`
	Pros    string `json:"pros,omitempty"`
	Cons    string `json:"cons,omitempty"`
	Stayed  string `json:"stayed,omitempty" format:"date"`
	Helpful int    `json:"helpful"`
}

func (s *server) reviews(ctx context.Context, in *reviewsIn) (*reviewsOut, error) {
	page, err := house.PageOf(ctx, s.house.Reviews.ByProperty(in.ID), in.paging())
	if err != nil {
		return nil, err
	}
	out := &reviewsOut{Link: in.next(page.Next)}
	out.Body.Reviews = []review{}
	for _, r := range page.Items {
		to := review{r.GuestName, r.GuestCountry, ratingOf(r.Ratings.Overall), r.Title, r.Text, r.Pros, r.Cons, "", r.HelpfulCount}
		if !r.StayDate.IsZero() {
			to.Stayed = r.StayDate.String()
		}
		out.Body.Reviews = append(out.Body.Reviews, to)
	}
	return out, nil
}

func (s *server) hotels(a huma.API) {
	const bad, gone, invalid = http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity
	handle(a, operation("search-hotels", http.MethodGet, "/v1/hotels", "Search hotels with rooms for a stay", http.StatusOK, bad, invalid), s.search)
	get := operation("get-hotel", http.MethodGet, "/v1/hotels/{id}", "A hotel, and what it offers for a stay", http.StatusOK, bad, gone, invalid)
	get.Responses["304"] = &huma.Response{
		Description: "The hotel is still the one with the tag",
		Headers:     map[string]*huma.Header{"ETag": {Schema: &huma.Schema{Type: huma.TypeString}}},
	}
	handle(a, get, s.hotel)
	handle(a, operation("list-reviews", http.MethodGet, "/v1/hotels/{id}/reviews", "What guests say about a hotel", http.StatusOK, bad, invalid), s.reviews)
}
