"""Sentences and words that synthetic conversations are assembled from, all of it our own."""

# What a `{hole}` in a sentence may hold.
WORDS = {
    "place": [
        "Kraków", "São Paulo", "Zürich", "Malmö", "Ålesund", "Besançon", "Tórshavn", "Bilbao",
        "Đà Nẵng", "Çeşme", "Leeds", "Utrecht", "京都", "台北", "서울", "Αθήνα", "Плевен",
    ],
    "who": [
        "my sister", "my neighbour", "my uncle", "my flatmate", "my cousin", "our landlady",
        "a colleague", "my old teacher", "the fiancé of my cousin", "the woman at the café",
    ],
    "price": [
        "€42.50", "£18", "$19.99", "¥3,200", "₹950", "1.250 €", "CHF 64.–", "₩12,000", "₺480",
        "280 kr", "R$ 75", "€7",
    ],
    "day": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "month": ["January", "March", "April", "May", "June", "August", "October", "November"],
    "few": ["two", "three", "four", "five", "six"],
    "number": ["9", "12", "14", "25", "40", "75", "120", "365", "1,040"],
    "time": ["06:45", "half past seven", "9 a.m.", "noon", "14:20", "a quarter to six", "22:10"],
    "food": [
        "crème brûlée", "pierogi", "ramen", "jalapeño cornbread", "smörgås", "phở", "lentil soup",
        "açaí", "bibimbap", "gözleme", "rye bread", "おにぎり",
    ],
    "plant": ["rosemary", "a fig tree", "runner beans", "maïs", "chard", "a lemon tree", "mint"],
    "thing": [
        "the kettle", "a second-hand tent", "the rain jacket", "a folding table", "the bike lights",
        "the café table", "a music stand", "the dehumidifier", "a tripod", "the spare key",
    ],
    "sign": [
        "「本日休業」", "「押してください」", "“小心台阶”", "“请勿拍照”", "「お釣りはこちら」",
        "‘잠시 외출 중’",
    ],
    "mood": [
        "😀", "🙃", "😅", "🚲", "🍲", "🎻", "🌧\ufe0f", "🪴", "📦", "👍🏽", "👩\u200d🍳",
        "🧑\u200d🌾", "👩🏽\u200d🚀", "👨\u200d👩\u200d👧", "🏳\ufe0f\u200d🌈",
    ],
}  # fmt: skip

# What people bring up, a topic at a time.
USER = {
    "travel": [
        "I am planning a week in {place} with {who} and would rather not fly this time.",
        "The night train to {place} leaves at {time}, and the sleeper costs {price} each.",
        "We missed the ferry last {month} because I had read the timetable for {day} by mistake.",
        "Is {place} walkable with a suitcase, or should we look for a room near the station?",
        "A sign at the platform said {sign}, and {who} guessed what it meant {mood}.",
    ],
    "kitchen": [
        "I tried to make {food} on {day} and it came out far too salty for {who}.",
        "The shop near me sells flour for {price}, which seems a lot for such a small bag.",
        "Could I prepare {food} the evening before and warm it up for {few} people at {time}?",
        "I have no oven at the moment, only {few} pans and a stove that runs rather hot.",
        "Everybody asked for the recipe afterwards, so I must have done something right {mood}.",
    ],
    "garden": [
        "I planted {plant} on the balcony in {month} and half of it has turned yellow since.",
        "The balcony faces north and gets {few} hours of sun if I am lucky.",
        "The label only said {sign}, so I have no idea how often it wants water.",
        "{who} swears by coffee grounds, but that sounds like one of those old tales to me.",
        "A pot large enough for {plant} costs {price} here, so I would like to be sure first.",
    ],
    "music": [
        "I started the violin again in {month} after a break of nearly {number} months.",
        "My lesson is on {day} at {time}, and I never practise enough before it {mood}.",
        "The étude I was given is marked allegro and I can barely manage it at half the speed.",
        "Renting an instrument costs {price} a month, while {who} would sell me one.",
        "Is it normal that my left hand hurts after {number} minutes of scales?",
    ],
    "moving": [
        "I am moving to a flat in {place} at the end of {month}, two floors up and no lift.",
        "The deposit is {price} and the landlord wants it in cash, which makes me uneasy.",
        "I have {number} boxes so far, and {who} has offered a van for {day}.",
        "Should I keep {thing}, or is it cheaper to buy one again after the move?",
        "The new kitchen has no shelves, and the old tenant left a note that reads {sign}.",
    ],
    "language": [
        "I have been learning the language for {number} days and still freeze when anyone answers.",
        "At the bakery I asked for {food} and was handed something else entirely {mood}.",
        "My course is on {day} evenings, costs {price}, and moves a little too fast for me.",
        "What does {sign} mean, and would a polite person ever say it aloud?",
        "I can read a menu in {place} by now, but a phone call is quite another matter.",
    ],
}

# Said by anyone about anything: it makes the turns of a topic differ.
USER_ANYWHERE = [
    "I wrote it all down on {day}, but the note is somewhere in a box.",
    "Last time I spent about {price} on it, which I do not want to repeat.",
    "Do you think that {thing} would help, or is that just another thing to carry around?",
    "{who} says I worry too much, and that may well be true {mood}.",
    "I would like something simple that I can still keep up in {month}.",
    "Sorry for the long message, I am typing this on a tram in {place}.",
    "By the way, I changed my mind since {day}: I would rather have fewer choices.",
    "It has to be done before {time} on {day}, because I am away after that.",
    "I have about {few} hours a week for this, no more.",
    "Please keep in mind that I do not eat meat and that I get up early.",
    "Which of the two would you pick if it were {price} either way?",
    "What would you do first?",
]

# What an assistant answers, a topic at a time.
ASSISTANT = {
    "travel": [
        "For {place} I would take the train as far as it goes and stay the first night close to "
        "the station, so that a late arrival costs you nothing but sleep.",
        "A sleeper at {price} sounds fair once you count the hotel night that it saves.",
        "Ferry times change in {month}, so read the line that says which days of the week it is "
        "for, and check it again on {day}.",
        "The sign {sign} is one you will meet often, and it is worth a photo for later.",
        "Leave at least {number} minutes between trains, because platforms move without notice.",
        "If it rains, the covered market in {place} is a pleasant place to lose an afternoon.",
    ],
    "kitchen": [
        "With {food} the salt goes in last, since everything boils down and only the salt stays.",
        "You can prepare it the evening before, keep it cold, and warm it slowly at {time} with a "
        "spoonful of water.",
        "Flour at {price} is expensive, and the plain kind from the market does the same work.",
        "On a stove that runs hot, put a second pan underneath and wait {number} minutes longer.",
        "If {few} people come, make a little more than you think and freeze what is left.",
        "Taste it twice, once hot and once lukewarm, and write down which one you liked.",
    ],
    "garden": [
        "Yellow leaves on {plant} usually mean too much water rather than too little, so let the "
        "soil dry out to the depth of a finger.",
        "With {few} hours of sun a day I would choose herbs and salads over anything that fruits.",
        "A label that says {sign} tells you less than the roots do: lift the plant and look.",
        "A pot for {price} is only worth it if it has a hole, and a drill makes one for free.",
        "Coffee grounds do no harm in small amounts, though they do not do much good either.",
        "In {month} I would move everything against the wall, where the nights are milder.",
    ],
    "music": [
        "After a break of that length, {number} minutes a day are better than two hours on {day}.",
        "Practise the étude in pieces of {few} bars, and only join them once each is boring.",
        "A hand that hurts is asking you to stop, so stop, and raise the stand by a little.",
        "Renting for {price} makes sense for a year, after which buying is the cheaper road.",
        "Begin each session with the passage you like least, while your ears are still fresh.",
        "Record yourself at {time} and listen the next morning, when you will be kinder {mood}.",
    ],
    "moving": [
        "Two floors without a lift is about {number} trips, so mark the boxes that can go last.",
        "Ask for a receipt for the deposit of {price}, signed and dated, before any cash moves.",
        "I would sell {thing} and buy one again in {place}, because space in a van is dear.",
        "Pack the kitchen on the last evening but one, and keep {few} cups and one pan out.",
        "The note that reads {sign} was probably meant for the post, so leave it up for a week.",
        "Read the meters on {day} in front of a witness and photograph each of them.",
    ],
    "language": [
        "Freezing is normal after {number} days: you know the words, only not yet at that speed.",
        "The phrase {sign} is written rather than spoken, so do not worry about saying it.",
        "Order {food} the same way every {day} until it bores you, then change a single word.",
        "A course for {price} is fine if it makes you speak, and a waste if it makes you read.",
        "On the telephone, ask for the number or the hour to be repeated and write it down.",
        "Learn the polite form first, since nobody in {place} was ever offended by it.",
    ],
}

ASSISTANT_ANYWHERE = [
    "That is a reasonable plan, and most of it can be settled before {day}.",
    "First, decide what would make this a success for you, even if it is something small.",
    "Second, put a date on it: {month} is realistic, anything earlier is hope.",
    "Third, tell one other person about it, because a promise said aloud is easier to keep.",
    "If money is the limit, set aside {price} and treat it as already spent.",
    "You mentioned {thing} earlier, and I think you can do without it for now.",
    "There are {few} ways to go about this, and they differ mainly in how much they ask of you.",
    "The simplest one is to change nothing for a week and only write down what happens.",
    "A slightly better one is to do half of it now and the other half in {month}.",
    "The most thorough one takes about {number} hours in all, spread over as many days as needed.",
    "I would avoid doing it on {day}, when every shop and office is at its busiest.",
    "Keep the receipts in one envelope, with the amount and the reason on each.",
    "Should something go wrong, the cheapest remedy is nearly always to stop and ask.",
    "People tend to underestimate the last step, so leave twice the time you think it needs.",
    "Since you get up early, {time} may suit you better than an evening.",
    "As you do not eat meat, I have left out anything that would need replacing.",
    "It may help to compare what you pay now with {price}, which is what others report.",
    "None of this is urgent, and none of it gets worse if you wait until {day}.",
    "Bring {thing} along if there is room, and leave it behind without regret if there is not.",
    "In {place} the rules are a little different, so check them with somebody who lives there.",
    "Once it works, write the steps down in {few} lines, as if for a stranger.",
    "You can always come back to the earlier version, which is why I would keep a copy.",
    "To sum up: start small, spend little, and look again at {time} on {day}.",
    "Let me know how it goes, and whether {who} was right after all {mood}.",
    "Would you like a list of what to buy, or is the order of the steps more useful to you?",
    "Here is a rough order that has worked for others in the same position.",
    "It is a pity about the delay, but a delay of {few} days changes nothing that matters.",
    "Whatever you choose, choose it before {time}, and then enjoy the rest of the day {mood}.",
]

# Predicate, object and text of a memory. Of four the second ends, and the third is an amount.
MEMORIES = [
    ("rents", "a flat in Kraków", "User rents a flat in Kraków, two floors up and without a lift"),
    ("studied", "violin", "User took violin lessons on Tuesdays with a teacher in Malmö"),
    ("pays", "€1,250.00 a month", "User pays €1,250.00 a month in rent, up from 980 €"),
    ("does not eat", "meat", "User does not eat meat and likes 精進料理 🍲"),
    ("gets up", "at 05:45", "User gets up at 05:45, on weekends too"),
    ("owned", "a car", "User owned a car with 214,000 km on it and sold it"),
    ("spent", "CHF 312.40", "User spent CHF 312.40 on a second-hand tent and a stove"),
    ("prefers", "short answers", "User prefers short answers, a list rather than an essay"),
]
