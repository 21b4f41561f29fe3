package dynastay

import (
	"strings"

	"github.com/dynastay/dynastay/internal/shown"
)

// Currency is an ISO 4217 code in upper case, such as "USD". Use [Currency.Validate] to check that something new may be
// priced in it. Amounts in a currency that has been withdrawn, such as HRK, can still be made, paid and refunded: what was
// agreed in it must come to its end.
type Currency string

// isoMinorUnits lists the active codes of ISO 4217 by the digits of their minor unit. Codes of funds and metals (XAU,
// XDR …) are left out, because guests do not pay in them.
var isoMinorUnits = [...]string{
	0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF",
	2: "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP " +
		"CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR " +
		"IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN " +
		"NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP " +
		"STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG",
	3: "BHD IQD JOD KWD LYD OMR TND",
}

// withdrawnMinorUnits lists the codes that ISO 4217 has withdrawn since 2010, in the same way.
var withdrawnMinorUnits = [...]string{
	0: "BYR",
	2: "ANG BGN CUC EEK HRK LTL LVL MRO SLL STD VEF ZMK ZWL",
}

var minorUnits, withdrawn = unitsOf(isoMinorUnits[:]), unitsOf(withdrawnMinorUnits[:])

func unitsOf(byDigits []string) map[Currency]int {
	all := map[Currency]int{}
	for digits, codes := range byDigits {
		for _, code := range strings.Fields(codes) {
			all[Currency(code)] = digits
		}
	}
	return all
}

// Validate returns an error unless c is an active ISO 4217 code in upper case. The error has no field; the caller adds
// it (see [Within]).
func (c Currency) Validate() error {
	if _, ok := minorUnits[c]; !ok {
		return Invalid("", "must be an active ISO 4217 currency code in upper case, got %q", shown.Truncated(string(c)))
	}
	return nil
}

// Known reports whether c is an ISO 4217 code in upper case, active or withdrawn since 2010.
func (c Currency) Known() bool {
	_, old := withdrawn[c]
	return old || c.Validate() == nil
}

// MinorUnit returns the number of decimal places of the currency's minor unit: 2 for USD, 0 for JPY, 3 for KWD. For an
// invalid code it returns 2.
func (c Currency) MinorUnit() int {
	if digits, ok := minorUnits[c]; ok {
		return digits
	}
	if digits, ok := withdrawn[c]; ok {
		return digits
	}
	return 2
}
