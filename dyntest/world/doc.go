// Package world generates a hotel platform: hotels in real cities with their rooms, images, amenities, nights, prices,
// rate plans and charges, users and their bookings, reviews of past stays, and the catalogues. A test or a demonstration loads it
// into tables in one call:
//
//	w := world.New(world.Options{Seed: 1, Properties: 100})
//	db := dyntest.New(t, dyntest.At(w.Now()))
//	err := w.Load(t.Context(), db.DB, nil)
//
//	hotel := w.Hotel(7)
//	ask, ok := hotel.Offer(2, 1) // two nights, one room, the first that is free
//	quote, err := availability.New(db.DB).Quote(t.Context(), ask)
//
// A world is determined by its [Options] alone: equal options make equal items, on every machine. A World stores
// nothing, and every part of it can be made on its own. So a world of a million hotels is made as quickly as one of
// ten, and a test knows what must be stored for any hotel.
//
// # Contents
//
// The repositories themselves make the items, at times and with ids that the world chooses. They are therefore exactly
// the items that a service would have written with the same calls: every key and index, the guards, the cards, exact
// amounts. Only two things are changed by the world itself: nights that are sold, returned or restricted, and the
// status of a property. A test compares the items with those that the repositories write.
//
//	prop_000042           a hotel: one to three room types; 4 % are pending, 1 % rejected and 1 % suspended
//	room_000042_1         a room type; one to four of its rooms are on sale every night that has no stop-sell
//	101                   a unit of a hotel, if [Options].Units is set: the first one of its first room type
//	flex, saver, bb       the rate plans of a hotel; 40 % of the hotels with nights have them
//	img_000042_01         an image of the hotel; it has 3 to 12, of which one is primary; there is nothing at the URL
//	user_000017           a user; every tenth may own hotels
//	wl_000017_1           a wishlist of that user; there may be two
//	mov_000017_01         a movement of the user's points
//	bkg_000042_0003       a booking that was created in the 60 days before Today; the last number is its position in the
//	                      order of creation at the hotel; past stays follow, in their own order of creation
//	pay_000042_0003_1     a payment of that booking; there may be several
//	re_000042_0003        the refund of that booking
//	rev_000042_0003       the review of that booking, if it is of a past stay
//	ext_000042_0003       the reference that a channel has for the booking with the same numbers
//	CITY-000042           the promo code of the hotel; 40 % of the hotels with nights have one
//	lst_000042            a listing, if [Options].Listings is set; its host may own hotels, and may have several listings
//	bk_000042_0003        a booking of that listing; the last number is its position in the order of creation
//	blk_000042_0003       a block of that listing, by its host; its number is one of the same order
//	res_000042_0003       the reservation at a channel of the booking with the same numbers
//	req_000042            a request for a slot of the venue, if [Options].Requests is set
//
// Hotels that are pending or rejected have no nights. A suspended hotel was suspended at the start of Today, after its
// last booking: it keeps its bookings, and all its nights are marked as closed. So [Hotel.Offer] returns offers of
// approved hotels only.
//
// The catalogue of amenities has every amenity of a hotel, and that of locations every city, with a few other names
// such as NYC. They are the same in all worlds, see [World.Amenities] and [World.Locations].
//
// Some hotels open their Fridays and Saturdays with a minimum stay. After the last booking, at the start of Today, the
// hotels change a few nights: about 5 % have a stop-sell with a reason, on one to four nights in a row, and 2 or 3 %
// each are closed to arrival, are closed to departure, or have a minimum stay or a maximum stay. A stop-sell does not
// undo sales, so most of these nights are partly sold. The other restrictions contradict no booking. A world with
// [Options].Empty has no such changes.
//
// # Bookings
//
// The statuses of the bookings are those at [World.Now], 12:00 UTC on Today. The shares are those of a world with the
// default Nights and Occupancy:
//
//	confirmed   83.5 %  since the booking was created
//	cancelled   12.5 %  with a reason, between the creation and the start of Today
//	expired      2 %    before Today, one to two minutes after the end of a hold that was not paid for
//	pending      1.5 %  with a hold of one to five days, which ends after Now and before the date of check-in
//	checked in   0.5 %  with rooms such as "101"
//
// The rooms of bookings that were cancelled or have expired are on sale again, and nobody else has booked them. A
// pending booking was created in the last five days. Guests who arrive on Today check in within eight hours of the
// hotel's check-in time. At Now, it is that late only in Europe and east of it, and some of the guests have not arrived
// yet.
//
// # Rate plans
//
// 40 % of the hotels with nights also sell their rooms under three rate plans, which are active and advertised, in this
// order, see [Hotel].RatePlans. They were created together with the hotel:
//
//	flex   has a price of its own for each night, which is that of the night; the guest may cancel until 24, 48 or 72
//	       hours before check-in
//	saver  flex less 10 to 20 %, non-refundable
//	bb     flex with breakfast, which is added for each guest: children below an age pay half of it, and small ones
//	       nothing; the policy is that of the room type
//
// Guests who booked one room at such a hotel, now or for a past stay, did so under flex (35 %), saver (20 %) or bb (20 %),
// or under none (25 %). The line then has the guests as its party; 80 % of those with children said how
// old they are. For several rooms, it is flex (45 %), saver (30 %) or neither, without a party. Nobody combines saver with
// a promo code, which may have a minimum. The total, and what follows from it, is that of the plan.
//
// Under saver, all is due at booking. Under flex, half of these hotels want a deposit of 20 or 30 % then, and the rest 7 or
// 14 days before the arrival; under bb, 30 % want the first night. What guests have paid does not depend on it, so some of the
// bookings are overdue.
//
// Searches find these hotels under their plans only. [Hotel.Offer] returns a request at the prices of the nights; with
// a RatePlanID, it is one under a plan.
//
// # Channels
//
// Where guests booked, if they did not use a promo code, see Source of package bookings. Guests of a channel and of the front
// desk have the names of users, but no account, so their bookings are in no user's list:
//
//	82 %  at the platform; 12 % of them came by a campaign, which is in the booking's data
//	14 %  at a channel: booking.com, expedia or hotelbeds. The booking has a unique reference, and the commission in its data.
//	      Half of those without a rate plan are at an agreed price, 80 to 90 % of that of each night; their lines name the contract
//	 4 %  at the front desk
//
// Past stays are all those of users, who have written the reviews. With [Options].Units, some came through the front desk.
//
// # Units
//
// With [Options].Units, 60 % of the hotels with nights have their rooms one by one, as many as each room type has, on a floor for
// each type, and 40 % of the rooms with a feature. See [Hotel].Units, and Line.Units of package bookings for who has which:
//
//	completed, checked in  the units in which the guests have stayed, since the check-in
//	confirmed              60 % of those who arrive within a week have units, since some time before Today
//	others                 none
//
// On the morning of Today, housekeeping found 50 % of the units clean and 20 % inspected. The others are dirty if past guests have
// left them, and clean if there were none. In these hotels, 10 % of the past guests were walk-ins: they booked at the front desk a few
// minutes before they checked in. 40 % of the holds were extended up to the day of arrival.
//
// On some nights from Today on that nobody has, up to 8 % of the units are out of order, and there is one room less to sell. The
// staff decided that a moment ago.
//
// A world without units has the same hotels and nights, and the same bookings otherwise.
//
// # Charges
//
// Half of the hotels with nights in New York, Berlin, Paris, Rome, Amsterdam, Zürich, Tokyo and Bangkok have the taxes and fees
// that [ChargesIn] returns for their city and stars, see [Hotel].Charges. They are from general knowledge, not maintained: look
// up your own. They were created together with the hotel, and are on its card. Its bookings were quoted with them, after the
// discount of a promo code, and have them as their bill. A booking of any other hotel has up to 15 % of taxes and fees, as one
// amount.
//
// Where a charge depends on who stays in which room, as in Paris, Rome and Tokyo, guests who booked several rooms divided
// themselves among them, and their lines have parties. 80 % of the guests with children said how old they are, and the others
// pay as if they were adults.
//
// # Past stays and reviews
//
// Hotels that are approved or suspended also have up to eight past stays, two on average, which began in the last 88
// days and ended before Today, see [Hotel].PastStays. The guests booked them one to ten days before their arrival. 95 %
// are completed, with the times of check-in and check-out, and 5 % are no-shows. Nights before Today are not generated,
// as if the hotel had never opened them: a night without an item is not on sale, so nobody sees a difference. A world
// with [Options].Empty has no past stays.
//
// 60 % of the completed stays have a review, which the guest wrote within ten days, and before Today. Its ratings are
// around a level of the hotel; each one except the overall rating is missing in 15 % of the reviews. The statuses are:
//
//	approved  80 %  within two days; 40 % have a response by the owner within a week, and half have up to five votes
//	rejected   8 %  within two days, with a reason
//	pending   12 %
//
// The rating of a hotel is that of its approved reviews. Hotels without any are unrated.
//
// # Payments and promo codes
//
// The payments of the bookings are those that providers have reported until Now. Guests pay by card or with PayPal,
// within a few minutes of the booking. In 9 % of the bookings, one or two payments failed before.
//
//	confirmed, checked in  30 % authorized and captured within three days, 45 % paid at once, 10 % authorized only, and
//	                       15 % a deposit of 30 %: guests who have checked in have paid the rest then
//	pending                70 % a bank transfer that has begun, 30 % a card that was declined
//	cancelled              as confirmed; an authorization is released, and what is due by the policies is refunded. The
//	                       provider reports within three days that the refund has been made; until then, it is pending
//	completed              as confirmed; what was only authorized is paid when the guests check out
//	no-show                as confirmed
//	expired                none
//
// Where no policy was agreed, the refund is full until check-in. A test that cancels such bookings with a refund needs
// these terms too, see Options.Terms of package bookings.
//
// A promo code gives a percentage, of which half have a largest discount, or a fixed amount. It is valid from 20 to 60
// days before Today; 20 % of the codes ended in the 15 days before Today, 15 % were deactivated at the start of Today,
// and most have a limit, which may be reached. 30 % of the guests who can use the code of their hotel for two nights or
// more do, and some of them type it with lower-case letters. UsageCount is the number of bookings with the code that
// were not cancelled and have not expired. A world with [Options].Empty has the codes, without any uses.
//
// # Users
//
// [World.User] returns a profile, and [World.Account] also what belongs to the user. 40 % of the users have
// preferences. 45 % have earned points with one to six stays, and 30 % of those with 500 points or more have redeemed
// half of them; the tiers are [users.DefaultTiers]. 30 % have one or two wishlists, of which 30 % are public, with up
// to six hotels of any status.
//
// Points are not those of the bookings, because a user would then depend on all hotels: they were earned with stays
// that the world does not contain, each with a reason id of its own.
//
// # Listings
//
// [World.Listing] returns a listing with its calendar, from 14 days before Today to the end of the nights on sale. 10 %
// of the listings have no events, and 15 % are nearly full; of the nights of the others, a fifth or half are taken. An
// event has up to seven nights, and may begin on the day on which another one ends:
//
//	45 %  bookings of the platform itself, of which some have a note
//	45 %  imported reservations: 20 % of BOOKING_COM, 20 % of AIRBNB, 5 % of OTHER
//	10 %  blocks by the host, with a note
//
// The channels changed 20 % of the reservations with a second revision, which cancels about half of them, and makes the
// others shorter. The nights that they gave back are free, or somebody else has taken them since. All events were
// created in the 60 days before they begin, and before Today. There are no calendar feeds.
//
// The calendars are in the table of package keys/listingkeys, which is not one of the hotels' tables:
//
//	w := world.New(world.Options{Listings: 20})
//	db := dyntest.New(t, dyntest.Tables(keyslisting.Table), dyntest.At(w.Now()))
//
// Options.Occupancy does not change listings, and a world with [Options].Empty has listings without events. The items
// of hotels and users are the same with and without listings.
//
// # The venue
//
// [World.Venue] returns a hall, if [Options].Requests is set. Its users request slots of days from the next one on to
// the end of the nights on sale, with equal times in between, in the 60 days before Today. 35 % of the requests are for
// a morning, 35 % for an afternoon, and 30 % for a full day. If the slot is free, 70 % are approved before the next
// request is made, and a tenth of these are cancelled soon after. A third of the others are rejected, with a reason,
// and the rest are pending. The users have the ids, names and addresses of the hotels' users; user_caretaker decides.
//
// The venue is in the table of package keys/venuekeys, which is not one of the hotels' tables, as for listings.
//
// # Large worlds
//
// The engine limits the speed of [World.Load]. 10,000 hotels with 30 nights are about 2.4 million items. They take
// several GB of memory in either local engine, and 30 MB in the program. dynoxide 1.2.1 becomes slower with every
// record of a stream, so examples/world loads into tables without streams. The tables of a test have none either.
package world
