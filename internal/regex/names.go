package regex

import (
	"strings"
	"sync"
)

// categoryNames has every name of a general category, and the categories of the
// tables that it is made of.
var categoryNames = map[string]string{
	"L": letters, "Letter": letters, "LC": "Lu Ll Lt", "Cased_Letter": "Lu Ll Lt",
	"Lu": "Lu", "Uppercase_Letter": "Lu", "Ll": "Ll", "Lowercase_Letter": "Ll", "Lt": "Lt", "Titlecase_Letter": "Lt",
	"Lm": "Lm", "Modifier_Letter": "Lm", "Lo": "Lo", "Other_Letter": "Lo",
	"M": marks, "Mark": marks, "Combining_Mark": marks, "Mn": "Mn", "Nonspacing_Mark": "Mn", "Mc": "Mc", "Spacing_Mark": "Mc",
	"Me": "Me", "Enclosing_Mark": "Me",
	"N": "Nd Nl No", "Number": "Nd Nl No", "Nd": "Nd", "Decimal_Number": "Nd", "digit": "Nd", "Nl": "Nl", "Letter_Number": "Nl",
	"No": "No", "Other_Number": "No",
	"P": punctuation, "Punctuation": punctuation, "punct": punctuation, "Pc": "Pc", "Connector_Punctuation": "Pc", "Pd": "Pd",
	"Dash_Punctuation": "Pd", "Ps": "Ps", "Open_Punctuation": "Ps", "Pe": "Pe", "Close_Punctuation": "Pe", "Pi": "Pi",
	"Initial_Punctuation": "Pi", "Pf": "Pf", "Final_Punctuation": "Pf", "Po": "Po", "Other_Punctuation": "Po",
	"S": symbols, "Symbol": symbols, "Sm": "Sm", "Math_Symbol": "Sm", "Sc": "Sc", "Currency_Symbol": "Sc", "Sk": "Sk",
	"Modifier_Symbol": "Sk", "So": "So", "Other_Symbol": "So",
	"Z": "Zs Zl Zp", "Separator": "Zs Zl Zp", "Zs": "Zs", "Space_Separator": "Zs", "Zl": "Zl", "Line_Separator": "Zl",
	"Zp": "Zp", "Paragraph_Separator": "Zp",
	"C": "Cc Cf Cs Co Cn", "Other": "Cc Cf Cs Co Cn", "Cc": "Cc", "Control": "Cc", "cntrl": "Cc", "Cf": "Cf", "Format": "Cf",
	"Cs": "Cs", "Surrogate": "Cs", "Co": "Co", "Private_Use": "Co", "Cn": "Cn", "Unassigned": "Cn",
}

const (
	letters     = "Lu Ll Lt Lm Lo"
	marks       = "Mn Mc Me"
	punctuation = "Pc Pd Ps Pe Pi Pf Po"
	symbols     = "Sm Sc Sk So"
)

// binaryNames are the short names of properties.
var binaryNames = map[string]string{
	"Alpha": "Alphabetic", "AHex": "ASCII_Hex_Digit", "Bidi_C": "Bidi_Control", "Bidi_M": "Bidi_Mirrored", "CI": "Case_Ignorable",
	"CWCF": "Changes_When_Casefolded", "CWCM": "Changes_When_Casemapped", "CWL": "Changes_When_Lowercased",
	"CWKCF": "Changes_When_NFKC_Casefolded", "CWT": "Changes_When_Titlecased", "CWU": "Changes_When_Uppercased",
	"DI": "Default_Ignorable_Code_Point", "Dep": "Deprecated", "Dia": "Diacritic", "EComp": "Emoji_Component", "EMod": "Emoji_Modifier",
	"EBase": "Emoji_Modifier_Base", "EPres": "Emoji_Presentation", "ExtPict": "Extended_Pictographic", "Ext": "Extender",
	"Gr_Base": "Grapheme_Base", "Gr_Ext": "Grapheme_Extend", "Hex": "Hex_Digit", "IDC": "ID_Continue", "IDS": "ID_Start",
	"IDSB": "IDS_Binary_Operator", "IDST": "IDS_Trinary_Operator", "Ideo": "Ideographic", "Join_C": "Join_Control",
	"LOE": "Logical_Order_Exception", "Lower": "Lowercase", "NChar": "Noncharacter_Code_Point", "Pat_Syn": "Pattern_Syntax",
	"Pat_WS": "Pattern_White_Space", "QMark": "Quotation_Mark", "RI": "Regional_Indicator", "STerm": "Sentence_Terminal",
	"SD": "Soft_Dotted", "Term": "Terminal_Punctuation", "UIdeo": "Unified_Ideograph", "Upper": "Uppercase", "VS": "Variation_Selector",
	"space": "White_Space", "XIDC": "XID_Continue", "XIDS": "XID_Start",
}

// scriptNames gives the short names of scripts.
var scriptNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{"Qaac": "Copt", "Qaai": "Zinh"}
	fields := strings.Fields(scriptPairs)
	for i := 0; i+1 < len(fields); i += 2 {
		names[fields[i]] = fields[i+1]
	}
	return names
})

const scriptPairs = `Adlam Adlm Caucasian_Albanian Aghb Ahom Ahom Arabic Arab Imperial_Aramaic Armi Armenian Armn Avestan Avst
Balinese Bali Bamum Bamu Bassa_Vah Bass Batak Batk Bengali Beng Bhaiksuki Bhks Bopomofo Bopo Brahmi Brah Braille Brai
Buginese Bugi Buhid Buhd Chakma Cakm Canadian_Aboriginal Cans Carian Cari Cham Cham Cherokee Cher Chorasmian Chrs Coptic Copt
Cypro_Minoan Cpmn Cypriot Cprt Cyrillic Cyrl Devanagari Deva Dives_Akuru Diak Dogra Dogr Deseret Dsrt Duployan Dupl
Egyptian_Hieroglyphs Egyp Elbasan Elba Elymaic Elym Ethiopic Ethi Garay Gara Georgian Geor Glagolitic Glag Gunjala_Gondi Gong
Masaram_Gondi Gonm Gothic Goth Grantha Gran Greek Grek Gujarati Gujr Gurung_Khema Gukh Gurmukhi Guru Hangul Hang Han Hani
Hanunoo Hano Hatran Hatr Hebrew Hebr Hiragana Hira Anatolian_Hieroglyphs Hluw Pahawh_Hmong Hmng Nyiakeng_Puachue_Hmong Hmnp
Old_Hungarian Hung Old_Italic Ital Javanese Java Kayah_Li Kali Katakana Kana Kawi Kawi Kharoshthi Khar Khmer Khmr Khojki Khoj
Khitan_Small_Script Kits Kannada Knda Kirat_Rai Krai Kaithi Kthi Tai_Tham Lana Lao Laoo Latin Latn Lepcha Lepc Limbu Limb
Linear_A Lina Linear_B Linb Lisu Lisu Lycian Lyci Lydian Lydi Mahajani Mahj Makasar Maka Mandaic Mand Manichaean Mani
Marchen Marc Medefaidrin Medf Mende_Kikakui Mend Meroitic_Cursive Merc Meroitic_Hieroglyphs Mero Malayalam Mlym Modi Modi
Mongolian Mong Mro Mroo Meetei_Mayek Mtei Multani Mult Myanmar Mymr Nag_Mundari Nagm Nandinagari Nand Old_North_Arabian Narb
Nabataean Nbat Newa Newa Nko Nkoo Nushu Nshu Ogham Ogam Ol_Chiki Olck Ol_Onal Onao Old_Turkic Orkh Oriya Orya Osage Osge
Osmanya Osma Old_Uyghur Ougr Palmyrene Palm Pau_Cin_Hau Pauc Old_Permic Perm Phags_Pa Phag Inscriptional_Pahlavi Phli
Psalter_Pahlavi Phlp Phoenician Phnx Miao Plrd Inscriptional_Parthian Prti Rejang Rjng Hanifi_Rohingya Rohg Runic Runr
Samaritan Samr Old_South_Arabian Sarb Saurashtra Saur SignWriting Sgnw Shavian Shaw Sharada Shrd Siddham Sidd Khudawadi Sind
Sinhala Sinh Sogdian Sogd Old_Sogdian Sogo Sora_Sompeng Sora Soyombo Soyo Sundanese Sund Sunuwar Sunu Syloti_Nagri Sylo
Syriac Syrc Tagbanwa Tagb Takri Takr Tai_Le Tale New_Tai_Lue Talu Tamil Taml Tangut Tang Tai_Viet Tavt Telugu Telu Tifinagh Tfng
Tagalog Tglg Thaana Thaa Thai Thai Tibetan Tibt Tirhuta Tirh Tangsa Tnsa Todhri Todr Toto Toto Tulu_Tigalari Tutg Ugaritic Ugar
Vai Vaii Vithkuqi Vith Warang_Citi Wara Wancho Wcho Old_Persian Xpeo Cuneiform Xsux Yezidi Yezi Yi Yiii Zanabazar_Square Zanb
Inherited Zinh Common Zyyy`
