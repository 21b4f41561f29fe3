package card_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/card"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func refused(text string) bool { return card.Check(text) != nil }

// valid returns a number that begins with prefix and has a length and the right check digit.
func valid(prefix string, length int) string {
	number := prefix + strings.Repeat("1", length)[:length-1-len(prefix)]
	for check := range 10 {
		if whole := number + strconv.Itoa(check); checks(whole) {
			return whole
		}
	}
	panic("one of ten check digits is right")
}

// checks is the check of a number from its last digit, with a table of doubled digits.
func checks(number string) bool {
	sum, doubled := 0, []int{0, 2, 4, 6, 8, 1, 3, 5, 7, 9}
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			d = doubled[d]
		}
		sum += d
	}
	return sum%10 == 0
}

// The numbers with which card schemes and payment providers let merchants test are refused, but not with another check
// digit.
func TestPublishedNumbers(t *testing.T) {
	t.Parallel()
	for _, number := range []string{
		"4111111111111111", "4012888888881881", "4242424242424242", "4222222222222", "5555555555554444", "5105105105105100",
		"2223003122003222", "378282246310005", "371449635398431", "341111111111111", "30569309025904", "38520000023237",
		"36227206271667", "6011111111111117", "6011000990139424", "3530111333300000", "3566002020360505", "6200000000000005",
		"6205500000000000004", "6759649826438453", "6799990100000000019", "5018000000000009", "2200000000000004",
		"6362970000457013", "6521111111111117",
	} {
		if !checks(number) {
			continue
		}
		assert.True(t, refused(number), number)
		assert.True(t, refused("Please charge "+number+"."), number)
		wrong := number[:len(number)-1] + string('0'+(number[len(number)-1]-'0'+1)%10)
		assert.False(t, refused(wrong), wrong)
	}
}

// brandOf lists the lengths for which a prefix of four digits belongs to a brand: independently of the package, as
// text.
func brandOf(prefix string) string {
	starts := func(all ...string) bool {
		for _, one := range all {
			from, to, _ := strings.Cut(one, "-")
			if to == "" {
				to = from
			}
			if p := prefix[:len(from)]; from <= p && p <= to {
				return true
			}
		}
		return false
	}
	lengths := ""
	add := func(more string, brands ...string) {
		if starts(brands...) {
			lengths += more
		}
	}
	add(" 13 16 19", "4")
	add(" 15", "34", "37")
	add(" 14", "300-305")
	add(" 14 15 16 17 18 19", "36", "38", "39")
	add(" 16", "51-55", "2221-2720", "508", "509", "60", "6362", "6363", "9792")
	add(" 16 17 18 19", "2200-2204", "3095", "3528-3589", "5060-5067", "6011", "62", "644-649", "65", "81", "82")
	add(" 13 14 15 16 17 18 19", "5018", "5020", "5038", "5893", "6304", "67")
	return lengths + " "
}

func TestBrands(t *testing.T) {
	t.Parallel()
	for prefix := range 10_000 {
		digits := fmt.Sprintf("%04d", prefix)
		for length := 11; length <= 21; length++ {
			want := strings.Contains(brandOf(digits), fmt.Sprintf(" %d ", length))
			assert.Equal(t, want, refused(valid(digits, length)), "%s, %d digits", digits, length)
		}
	}
}

// A number is found however it is written.
func TestNumbersInTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"4111 1111 1111 1111", "4111-1111-1111-1111", "4111.1111.1111.1111", "4111/1111/1111/1111", "4111_1111_1111_1111",
		`4111\1111\1111\1111`, "4111·1111·1111·1111", "4111 - 1111 - 1111 - 1111", "4111    1111    1111    1111",
		"4111\u00a01111\u00a01111\u00a01111", "4111\u202f1111\u20091111\u30001111", "4111–1111—1111‑1111", "4111−1111−1111−1111",
		"4111\t1111\r\n1111\n1111", "4111\u200b1111\u200e1111\ufeff1111", "\u202a4111\u00ad1111\u00ad1111\u00ad1111\u202c",
		"4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "41 11 11 11 11 11 11 11", "41-11-11-11-11-11-11-11", "41 11-11-11-11-11 11 11", "411111 1111111111", "4111 11111111 1111", "4111-1111 1111/1111",
		"3782 822463 10005", "3056 930902 5904", "6205 5000 0000 0000 004", "4222 222 222 222", "4444333322221111", "4444 3333 2222 1111",
		"４１１１１１１１１１１１１１１１", "٤١١١ ١١١١ ١١١١ ١١١١", "४१११ ११११ ११११ ११११", "4111 ١١١١ 1111 １１１１", "𝟒𝟏𝟏𝟏𝟣𝟣𝟣𝟣𝟭𝟭𝟭𝟭𝟷𝟷𝟷𝟷",
		"4\ufe0f\u20e3 1\ufe0f\u20e3 1\ufe0f\u20e3 1\ufe0f\u20e3 1111 1111 1111",
		"ch_4111111111111111", "4111111111111111abc", "x4111111111111111x", "CC4111111111111111", "visa4111-1111-1111-1111exp", "(4111 1111 1111 1111)",
		"4111 1111 1111 1111 12/27 123", "4111111111111111 1227", "4111111111111111|12|27|123", "room 12, 4111 1111 1111 1111",
		"12 4111 1111 1111 1111", "2026-07-10 4111 1111 1111 1111", "4111 1111 1111 1111 10.07.2026", "Visa:4111111111111111.",
		"+4111 1111 1111 1111", "+378282246310005", "+30569309025904", "DE89 3704 0044 0532 0130 00 4111 1111 1111 1111",
		"my card is 4111 1111 1111 1111\xff", "4101 4102 4103 4104 4111 1111 1111 1111", "4111111111111111 4111111111111112",
	} {
		assert.True(t, refused(text), "%q", text)
	}
}

// Numbers that have another meaning are allowed. All of these texts have the digits of a card, or would have them if
// what they mean were not recognised.
func TestOtherNumbers(t *testing.T) {
	t.Parallel()
	digits := func(text string) (n int) {
		for _, r := range text {
			if unicode.IsDigit(r) {
				n++
			}
		}
		return n
	}
	for _, text := range []string{
		"4111 1111 1111, 1111", "4111 1111 and 1111 1111", "4111     1111     1111     1111", "4111a1111a1111a1111", "4111111111111111 1"[1:],
		"14111111111111111", "41111111111111110", "4111111111111111111111", "4①11111111111111", "4111(1111)1111(1111)",
	} {
		assert.False(t, refused(text), "%q", text)
		assert.GreaterOrEqual(t, digits(text), 12)
	}
	for _, text := range []string{
		"+4222222222222", "+42 222 2222-2222", "+ 4222222222222", "call +4222222222222 please", "＋4222222222222",
	} {
		assert.False(t, refused(text), "a phone number: %q", text)
		assert.True(t, refused(strings.NewReplacer("+", "", "＋", "").Replace(text)), text)
	}
	const id = "7c490622-3626-452c-a785-2865d5e33ea5"
	assert.False(t, refused(id), "a UUID")
	assert.False(t, refused("room_"+id))
	assert.False(t, refused("4111 1111 "+id+" 1111 1111"), "numbers on either side of it are not one number")
	assert.False(t, refused(strings.ToUpper(id)))
	for _, other := range []string{id[:len(id)-1], id[1:], strings.Replace(id, "452c", "452", 1), strings.Replace(id, "-a785", "", 1)} {
		assert.True(t, refused(other), "no UUID: %s", other)
	}
	assert.True(t, refused(id+" 4222222222222"))
	assert.False(t, refused("+4222222222222 12"), "a phone number and a number")
	assert.True(t, refused("+49 30 12, 4222222222222"), "a phone number and a card")
}

// Dates are set aside, whatever their digits are.
func TestDates(t *testing.T) {
	t.Parallel()
	dates := 0
	for day := 1; day <= 28; day++ {
		for month := 1; month <= 12; month++ {
			for _, layout := range []string{
				"%02[1]d.%02[2]d.2026 - %02[1]d.%02[3]d.2026", "%02[1]d/%02[2]d/2026-%02[1]d/%02[3]d/2099", "%02[1]d-%02[2]d-1900 %02[1]d-%02[3]d-2026",
				"%02[1]d. %02[2]d. 2026 – %02[1]d. %02[3]d. 2026", "%02[2]d/%02[1]d/2026 %02[3]d/%02[1]d/2026", "%02[1]d/%02[2]d/2026 2026-%02[3]d-%02[1]d",
			} {
				text := fmt.Sprintf(layout, day, month, month%12+1)
				assert.False(t, refused(text), text)
				plain := strings.Map(func(r rune) rune {
					if unicode.IsDigit(r) {
						return r
					}
					return -1
				}, text)
				if refused(plain) {
					dates++
				}
			}
		}
	}
	assert.Greater(t, dates, 10, "some of them have the digits of a card")
	for text, isDate := range map[string]bool{
		"2026-07-10": true, "2026-7-1": true, "1.1.1900": true, "31/12/2099": true, "12/31/2026": true, "2026/31/12": true, "5. 5. 2026": true,
		"23.05.26": true, "23/05/26": true, "5/23/26": true, "1-1-00": true, "23 05 26": false, "23-05-26-1": false, "13/13/26": false, "1/1/1": false,
		"25/13/2026": false, "00/05/2026": false, "25/00/2026": false, "25/05/1899": false, "25/05/2100": false, "32/05/2026": false,
		"13/13/2026": false, "25.05-2026": false, "25 05 2026": false, "25_05_2026": false, "005/05/2026": false, "05/005/2026": false, "5/5/20260": false,
		"2026/005/05": false, "2026/05/005": false, "2026-07": false, "20260710": false,
	} {
		digits := 0
		for _, r := range text {
			if unicode.IsDigit(r) {
				digits++
			}
		}
		found := false
		for last := range 10 { // with one of these, the check digit is right
			found = found || refused("4"+strings.Repeat("0", 14-digits)+strconv.Itoa(last)+" "+text)
		}
		assert.Equal(t, isDate, !found, text)
	}
}

// IBANs are set aside if their check digits are right.
func TestIBANs(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19", "FR14 2004 1010 0505 0001 3M02 606",
		"NO93 8601 1117 947", "BE68 5390 0754 7034", "MT84 MALT 0110 0001 2345 MTLC AST0 01S", "ES91 2100 0418 4502 0005 1332",
	} {
		assert.False(t, refused(text), text)
	}
	cards, kept := 0, 0
	for n := range 2000 {
		bban := fmt.Sprintf("5105%04d%06d2399", n, n*n%1_000_000)
		iban := ibanOf("DE", bban)
		if groups := grouped(iban); !refused(groups) {
			kept++
			if refused("DE " + groups[2:]) {
				cards++
			}
		}
	}
	assert.Equal(t, 2000, kept)
	assert.Greater(t, cards, 100, "many of them contain the digits of a card")
}

// ibanOf adds the check digits, with which the whole number modulo 97 is 1.
func ibanOf(country, bban string) string {
	for check := 2; check < 99; check++ {
		rest := 0
		for _, r := range bban + country + fmt.Sprintf("%02d", check) {
			v, _ := strconv.ParseInt(string(r), 36, 64)
			if v > 9 {
				rest *= 10
			}
			rest = (rest*10 + int(v)) % 97
		}
		if rest == 1 {
			return fmt.Sprintf("%s%02d%s", country, check, bban)
		}
	}
	panic("there are check digits for every number")
}

func grouped(text string) string {
	var b strings.Builder
	for i, r := range text {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// A list of rooms is one of at least three numbers, each a little greater than the one before.
func TestRooms(t *testing.T) {
	t.Parallel()
	hidden := 0
	for first := 4000; first < 5600; first++ {
		if list := fmt.Sprintf("%d %d %d %d", first, first+1, first+3, first+23); !refused(list) {
			if checks(strings.ReplaceAll(list, " ", "")) {
				hidden++
			}
		}
		for _, last := range []int{24, 3, 2} { // too far, the same, a lesser one
			list := fmt.Sprintf("%d %d %d %d", first, first+1, first+3, first+last)
			plain := strings.ReplaceAll(list, " ", "")
			assert.Equal(t, refused(plain), refused(list), list)
		}
		pair := fmt.Sprintf("%d0000 %d0002", first, first)
		assert.Equal(t, refused(strings.ReplaceAll(pair, " ", "")), refused(pair), "two are not a list: %s", pair)
	}
	assert.Greater(t, hidden, 50)
	hidden = 0
	for first := range 100 {
		list := fmt.Sprintf("%d %d %d", 620000+first, 620001+first, 620004+first)
		assert.False(t, refused(list), list)
		if refused(strings.ReplaceAll(list, " ", "")) {
			hidden++
		}
	}
	assert.Greater(t, hidden, 5)
	assert.False(t, refused("101 102 103 104"))
}

func TestCodes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"CVC: 123", "cvv 1234", "security code is 123", "cvc123", "CVV2 123", "cvc2: 1234", "CVV2123", "Cvn=123", "CID 1234", "csc #123", "(cvc)123",
		"card code 123", "Card verification code: 123", "validation code 1234", "card security code 123", "security-code/123",
		"my cvc is 123", "the CVV number is 123", "cvc of my card is 123", "security code on the back of card is 123", "cvv: ١٢٣", "CVC\n\n123", "cvc １２３",
		"cvc code is 123", "cvc of the card on the back 123", "cvc no 123", "CVC Nr. 123", "cvv value 123", "cvc digits are 123", "our cvc for the card: 123", "123 is our cvc", "123 cvc", "123 (CVV)", "123 is my cvc", "12/27, 123 is the cvv", "cvc/cvv 123", "cvc cvv cid csc 123",
	} {
		assert.True(t, refused(text), "%q", text)
	}
	for _, text := range []string{
		"", "cvc", "CVC: 12", "CVC: 12345", "cvc 2 12", "cvv3 12", "cvv 2 twins", "cvc at the desk, room 123", "room code 123", "cvc of the card of the card is 123", "the code is 1234", "code 1234",
		"security code of the gate is 1234", "security 123", "security desk code 1234", "card 123", "acid 123", "El Cidro 123", "cvcs 123", "room 101, security code please",
		"01J8V279CVN60T43", "01J8V27CVC123T43", "279CVC", "123 cid", "card ending in 4242, CVC to follow", "4242 cvc", "12 cvc", "cvc of the card of the card of my card 123", "123 of the card of the card of my cvc",
		"verification 123", "area code 212", "postcode 1010", "promo code 2026", "Zip code 1234", "cvc, in 2 days",
	} {
		assert.False(t, refused(text), "%q", text)
	}
}

// The error names no field, and shows nothing of the text.
func TestTheError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"4111 1111 1111 1111", "cvc 987"} {
		invalid := blame.As[*dynastay.InvalidError](t, card.Check(text))
		assert.Equal(t, dynastay.InvalidError{Reason: "must not contain a card number or a card verification code"}, *invalid)
		assert.False(t, errors.Is(invalid, dynastay.ErrCursor))
	}
}

// Unicode has a zero before every one, in every script.
func TestDigitsOfAllScripts(t *testing.T) {
	t.Parallel()
	for _, block := range unicode.Nd.R16 {
		assertDigits(t, rune(block.Lo), rune(block.Hi))
		assert.Equal(t, uint16(1), block.Stride)
	}
	for _, block := range unicode.Nd.R32 {
		assertDigits(t, rune(block.Lo), rune(block.Hi))
		assert.Equal(t, uint32(1), block.Stride)
	}
}

func assertDigits(t *testing.T, from, to rune) {
	t.Helper()
	assert.Zero(t, (to-from+1)%10)
	for zero := from; zero < to; zero += 10 {
		text := strings.Map(func(r rune) rune { return zero + r - '0' }, "4539578763621486")
		assert.True(t, refused(text), text)
		assert.False(t, refused(strings.Replace(text, string(zero+9), string(zero+8), 1)), text)
	}
}
