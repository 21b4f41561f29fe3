package world

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/reviews"
)

// mood is what guests with a similar rating say, and what hotels respond.
type mood struct {
	from                 dynastay.Rating
	titles, texts, lasts []string
	responses            []string
}

// moods are in descending order of their ratings.
var moods = []mood{
	{
		80,
		[]string{"A lovely stay", "We will be back", "Better than expected", "Just what we needed", "Excellent", "A real find"},
		[]string{
			"We had a wonderful time.", "Everything went well from check-in to check-out.", "The room was spotless.",
			"Our room was quiet and bright.", "The staff were friendly and helpful.", "A great place in a great area.",
		},
		[]string{
			"We would stay here again.", "I recommend it to everyone.", "Thank you for everything.", "It was worth the price.",
			"We wished we had booked another night.",
		},
		[]string{
			"Thank you for your kind words. We look forward to your next stay.", "We are glad that you enjoyed your stay.",
			"Thank you very much. The whole team is happy to read this.",
		},
	},
	{
		60,
		[]string{"Good, with small flaws", "Fine for a short stay", "Decent", "Good location", "Nothing special"},
		[]string{
			"The room was clean, but smaller than it looks in the images.", "A decent place for the price.",
			"Breakfast was fine, and the bed was a little soft.", "Check-in took a while, then everything was fine.",
			"The area is good, and the room is a little dated.",
		},
		[]string{
			"It was fine for a few nights.", "We might come back.", "A fan in the room would help in summer.",
			"For the price, it is all right.",
		},
		[]string{
			"Thank you for your review. We will look into what you describe.",
			"Thank you. We are renovating our rooms this year, and hope to welcome you again.",
		},
	},
	{
		0,
		[]string{"Disappointing", "Too noisy", "Not as described", "We expected more"},
		[]string{
			"The room was not ready until the evening.", "The street was loud all night.", "The bathroom was not clean.",
			"The heating did not work, and nobody came to repair it.",
		},
		[]string{
			"We left a day early.", "We would choose another place next time.", "It was too expensive for what it is.",
		},
		[]string{
			"We are sorry that your stay was not what you expected. Please contact us, so that we can make it right.",
			"We apologise. We have spoken with the team, and have repaired what you describe.",
		},
	},
}

var (
	goodPoints = []string{
		"the breakfast", "the location", "the friendly staff", "a comfortable bed", "the view", "the quiet room", "the shower",
	}
	badPoints = []string{
		"slow Wi-Fi", "thin walls", "the small bathroom", "the price of parking", "a slow lift", "few plugs",
	}
	rejections = []string{
		"contains personal data", "is not about the stay", "contains offensive language", "contains advertising",
	}
	responders = []string{"Hotel Manager", "Guest Relations", "The Front Desk", "The Owner"}
)

// moodOf returns what goes with a rating.
func moodOf(r dynastay.Rating) *mood {
	for i := range moods {
		if r >= moods[i].from {
			return &moods[i]
		}
	}
	panic("world: internal error: no mood was found")
}

// say chooses the texts of a review that go with its rating.
func say(d dice, r *reviews.Review) {
	m := moodOf(r.Ratings.Overall)
	title, pros, cons := pick(d, m.titles), pick(d, goodPoints), pick(d, badPoints)
	r.Text = pick(d, m.texts) + " " + pick(d, m.lasts)
	if d.percent(titlePercent) {
		r.Title = title
	}
	if d.percent(prosPercent) {
		r.Pros = pros
	}
	if d.percent(consPercent) {
		r.Cons = cons
	}
}
