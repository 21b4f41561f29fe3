package bookings

import "github.com/dynastay/dynastay/entity"

func checkText(text string, most int) error { return entity.CheckText(text, most) }
