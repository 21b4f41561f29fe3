package card

// The lengths of a card number.
const (
	fewest = 13
	most   = 19
)

// brands are the ranges of the first four digits that the card schemes use, with the lengths that their numbers have.
var brands = []struct{ from, to, shortest, longest int }{
	{2200, 2204, 16, 19}, // Mir
	{2221, 2720, 16, 16}, // Mastercard
	{3000, 3059, 14, 14}, // Diners Club
	{3095, 3095, 16, 19}, // Diners Club
	{3400, 3499, 15, 15}, // American Express
	{3528, 3589, 16, 19}, // JCB
	{3600, 3699, 14, 19}, // Diners Club
	{3700, 3799, 15, 15}, // American Express
	{3800, 3999, 14, 19}, // Diners Club
	{4000, 4999, 13, 13}, // Visa
	{4000, 4999, 16, 16}, // Visa, Elo
	{4000, 4999, 19, 19}, // Visa
	{5018, 5018, 13, 19}, // Maestro
	{5020, 5020, 13, 19}, // Maestro
	{5038, 5038, 13, 19}, // Maestro
	{5060, 5067, 16, 19}, // Verve, Elo
	{5080, 5099, 16, 16}, // RuPay, Elo
	{5100, 5599, 16, 16}, // Mastercard
	{5893, 5893, 13, 19}, // Maestro
	{6000, 6099, 16, 16}, // RuPay
	{6011, 6011, 17, 19}, // Discover
	{6200, 6299, 16, 19}, // UnionPay, Elo
	{6304, 6304, 13, 19}, // Maestro
	{6362, 6363, 16, 16}, // Elo
	{6440, 6599, 16, 19}, // Discover, RuPay, Elo, Troy, Verve
	{6700, 6799, 13, 19}, // Maestro
	{8100, 8299, 16, 19}, // UnionPay, RuPay
	{9792, 9792, 16, 16}, // Troy
}

// issued reports whether a brand has numbers that begin and end like this one.
func issued(digits []byte) bool {
	prefix := value(digits[:4])
	for _, b := range brands {
		if b.from <= prefix && prefix <= b.to && b.shortest <= len(digits) && len(digits) <= b.longest {
			return true
		}
	}
	return false
}
