"""What is asked, and the sessions that hold the answer: written by hand, all of it our own."""

from typing import NamedTuple


class Said(NamedTuple):
    """One turn of an evidence session."""

    role: str
    content: str
    has_answer: bool


class Told(NamedTuple):
    """One evidence session, at a date as LongMemEval writes it, less the weekday."""

    date: str
    turns: list[Said]


class Evidence(NamedTuple):
    """One question of the data set; `answer` is text or an integer, as in the real one."""

    question_id: str
    question_type: str
    question: str
    question_date: str
    answer: str | int
    sessions: list[Told]


def user(content: str, has_answer: bool = False) -> Said:
    return Said("user", content, has_answer)


def assistant(content: str, has_answer: bool = False) -> Said:
    return Said("assistant", content, has_answer)


EVIDENCE = [
    Evidence(
        "synthetic_user_1",
        "single-session-user",
        "What is the name of the beekeeping club that I joined?",
        "2024/06/20 19:05",
        "Linden Row Beekeepers",
        [
            Told(
                "2024/05/11 10:20",
                [
                    user(
                        "I work as a piano tuner, so my eyes are untrained, but two of the frames "
                        "I looked at this morning were covered in drone brood. Is that a reason "
                        "to worry in May, or do all hives look like that?"
                    ),
                    assistant(
                        "Some drone brood in May is what a healthy colony does: it is getting "
                        "ready to swarm or to replace its queen. It is a worry only when it is "
                        "scattered over the middle of the frames where worker brood should be, "
                        "because that hints at a queen who is running out of stored sperm, or at "
                        "workers that have begun to lay.\n\n"
                        "Look for three things at the next inspection: eggs that stand upright "
                        "one to a cell, a compact patch of capped worker brood, and queen cells "
                        "along the lower edge of the comb. If you find the first two and none of "
                        "the third, close the hive and enjoy your coffee."
                    ),
                    user(
                        "Good. I joined the Linden Row Beekeepers last week, mostly so that "
                        "somebody with more years than me can look over my shoulder.",
                        True,
                    ),
                    assistant(
                        "An experienced pair of eyes is worth more than any book. Ask whether "
                        "they lend out an extractor, too: most people need one for two days a "
                        "year, and it fills half a shed for the other three hundred and "
                        "sixty-three."
                    ),
                ],
            )
        ],
    ),
    Evidence(
        "synthetic_user_2",
        "single-session-user",
        "Remind me which airline I flew to the pottery fair with.",
        "2024/09/02 08:40",
        "Fjordlink",
        [
            Told(
                "2024/07/28 21:15",
                [
                    user(
                        "I am back from the pottery fair, with eleven bowls in my hand luggage "
                        "and not one of them chipped. Fjordlink let me take a second cabin bag "
                        "when I flew there, which I had not expected from a budget airline.",
                        True,
                    ),
                    assistant(
                        "Eleven bowls by hand luggage is a small feat. If you photograph the "
                        "undersides before they go on a shelf you will still know in ten years "
                        "who made which, since a potter's mark is easily covered by a felt pad."
                    ),
                    user(
                        "One glaze has gone dull where the tape was. Can I save it, or is that "
                        "how it looks from now on?"
                    ),
                    assistant(
                        "Most likely it is glue and not the glaze. Warm the spot with a hair "
                        "dryer, rub it with cooking oil, leave it for ten minutes and wash it "
                        "with plain dish soap. Do not reach for acetone or a scouring sponge: a "
                        "matt glaze that has been polished in one place stays polished in one "
                        "place."
                    ),
                ],
            )
        ],
    ),
    Evidence(
        "synthetic_assistant_1",
        "single-session-assistant",
        "Which oil was it that you recommended for the worktop in my workshop?",
        "2024/03/30 11:30",
        "Pure tung oil, thinned by half for the first coat",
        [
            Told(
                "2024/02/17 16:45",
                [
                    user(
                        "My workbench has a beech top that drinks up every spill. It sees glue, "
                        "coffee and the odd tin of paint. What should I put on it so that I can "
                        "still plane it flat again one day?"
                    ),
                    assistant(
                        "For a bench that you mean to plane again, anything that forms a skin is "
                        "a nuisance: varnish chips under the first dropped chisel, and hard wax "
                        "clogs the plane.\n\n"
                        "I would use pure tung oil, thinned by half with citrus solvent for the "
                        "first coat and straight from the tin for the two that follow. It goes "
                        "deep into beech, cures to something that water and most glue sit on, "
                        "and planes off like wood. Boiled linseed oil is cheaper, but it stays "
                        "soft for weeks and turns yellow under a window.\n\n"
                        "Work in this order: scrape the old glue off, sand once with 120 grit, "
                        "flood the top, wipe off all that has not gone in after half an hour, "
                        "and give it two days before the next coat. Lay the rags out flat to dry "
                        "outside, one by one. Crumpled up in a bin they can set themselves "
                        "alight, and that is no figure of speech.",
                        True,
                    ),
                    user("And how long until I can put a vice on it?"),
                    assistant(
                        "A week after the last coat is safe. Put a scrap of baking paper under "
                        "the vice for the first month, so that the oil does not glue itself to "
                        "the iron."
                    ),
                ],
            )
        ],
    ),
    Evidence(
        "synthetic_assistant_2",
        "single-session-assistant",
        "Can you remind me in what order the three knee exercises were to be done?",
        "2024/11/10 07:20",
        "Heel slides first, then wall sits, then step-downs",
        [
            Told(
                "2024/10/19 18:05",
                [
                    user(
                        "The physiotherapist said my knee is fine to load again but left on "
                        "holiday before giving me a plan. I have ten minutes in the morning, no "
                        "equipment, and one staircase."
                    ),
                    assistant(
                        "Ten minutes and a staircase are enough, as long as pain stays a mild "
                        "two out of ten and is gone by the evening. The order matters more than "
                        "the numbers, because each exercise warms the joint up for the one after "
                        "it.\n\n"
                        "1. Heel slides: on your back, draw the heel towards you and let it "
                        "slide out again, twenty times. This moves the joint without load.\n"
                        "2. Wall sits: back against the wall, knees bent as far as is "
                        "comfortable, hold for twenty seconds, five times. This loads it without "
                        "movement.\n"
                        "3. Step-downs: stand on the lowest stair, let the other foot sink to "
                        "the floor as slowly as you can, and come back up, eight times on each "
                        "side. This is load and movement together, so it comes last.\n\n"
                        "Add a repetition every third day and never two things at once. If the "
                        "knee is warm or thick the next morning, go back to the first two for "
                        "two days. A log with one line a day is all the equipment that you are "
                        "missing.",
                        True,
                    ),
                    user("I can do that before the kettle boils. Thank you!"),
                    assistant(
                        "Then put the log next to the kettle. In six weeks you will want to see "
                        "where you began."
                    ),
                ],
            )
        ],
    ),
    Evidence(
        "synthetic_preference_1",
        "single-session-preference",
        "Could you suggest something for me to watch on Saturday night?",
        "2024/12/05 20:10",
        "The user likes slow documentaries about craft, with little talking and no narrator, and "
        "dislikes anything with a countdown or a competition. A good answer suggests quiet films "
        "about people who make things and leaves out contests.",
        [
            Told(
                "2024/11/16 22:30",
                [
                    user(
                        "I gave the baking contest twenty minutes and switched it off. I can't "
                        "stand a countdown. What I love are slow documentaries about people who "
                        "make things: a boat, a bell, a violin, with little talking and no "
                        "narrator.",
                        True,
                    ),
                    assistant(
                        "So the work itself should be the plot. Films of that sort tend to hide "
                        "under dull titles, because nobody who makes them is any good at "
                        "shouting. Regional broadcasters and museum archives are where I would "
                        "look first, and the sound should be taken on the spot, not added "
                        "afterwards."
                    ),
                    user(
                        "Exactly. The last one that I saw twice was ninety minutes of two "
                        "sisters re-caning chairs, and I did not look at the clock once.",
                        True,
                    ),
                    assistant(
                        "Two sisters and a pile of chairs is a high bar. I will keep it in mind, "
                        "and I promise not to bring up anything with a stopwatch in it."
                    ),
                ],
            )
        ],
    ),
    Evidence(
        "synthetic_multi_1",
        "multi-session",
        "How many telescopes have I looked through so far this year?",
        "2024/10/01 23:00",
        3,
        [
            Told(
                "2024/02/09 23:40",
                [
                    user(
                        "First clear night in weeks! The observatory on the hill let visitors "
                        "use their big refractor, and I saw four of Jupiter's moons in a row. "
                        "That was the first telescope I have ever looked through.",
                        True,
                    ),
                    assistant(
                        "A long refractor is a lovely way to begin, because it shows planets so "
                        "crisply that nothing after it seems quite as sharp. Draw what you saw "
                        "with the hour beside it. Two drawings, an evening apart, show the moons "
                        "moving, which is how anybody found out that they were moons at all."
                    ),
                ],
            ),
            Told(
                "2024/05/04 22:55",
                [
                    user(
                        "A neighbour set up her Dobsonian in the car park and I had a turn at "
                        "it. The cluster in Hercules looked like spilled sugar.",
                        True,
                    ),
                    assistant(
                        "Spilled sugar is the best description of it that I know. A Dobsonian "
                        "gives the most light for the money, and hers must be a good size if the "
                        "cluster broke up into stars all the way to its middle."
                    ),
                    user("Twenty-five centimetres, she said. It lives in her hallway."),
                    assistant(
                        "That is the usual place. People with such instruments stop owning coats."
                    ),
                ],
            ),
            Told(
                "2024/08/13 01:10",
                [
                    user(
                        "At the meteor camp they had a solar telescope with a red filter, so I "
                        "looked at the sun in the afternoon and saw a prominence bigger than the "
                        "Earth. At night I only lay on my back, no optics at all.",
                        True,
                    ),
                    assistant(
                        "For meteors lying on your back is the right instrument. A prominence "
                        "seen with one's own eye is a rarer treat, as they can rise and fall "
                        "within an hour, and no picture shows that it hangs in empty space."
                    ),
                ],
            ),
        ],
    ),
    Evidence(
        "synthetic_multi_2",
        "multi-session",
        "Which two dishes did I cook for the street party in the end?",
        "2024/07/15 09:00",
        "A saffron risotto and a plum galette",
        [
            Told(
                "2024/06/22 17:30",
                [
                    user(
                        "The street party is on the sixth of July and I have signed up to cook. "
                        "I am torn between a saffron risotto and something cold. Does risotto "
                        "survive being made for forty?"
                    ),
                    assistant(
                        "It does if you cheat the way canteens do: cook the rice to two thirds "
                        "the evening before, spread it on trays to cool, and finish it in four "
                        "batches with boiling stock. Stir in the butter and the cheese off the "
                        "heat. What does not survive is a single huge pot, where the bottom is "
                        "glue before the top is warm.\n\n"
                        "Saffron is kind to the plan, because it can steep in the stock "
                        "overnight. Allow a gram for forty, ground with a pinch of sugar, and "
                        "salt only at the end."
                    ),
                    user("Then that is settled: for the party I am making the risotto.", True),
                    assistant(
                        "Borrow a second burner, and put the word out that plates should be warm."
                    ),
                ],
            ),
            Told(
                "2024/07/07 12:15",
                [
                    user(
                        "What a day yesterday. The tart that I had in mind for afters needed a "
                        "tin that I don't own, so I made a plum galette instead, and it was gone "
                        "before the risotto was.",
                        True,
                    ),
                    assistant(
                        "A galette forgives everything: no tin, no crimping, and a leak counts "
                        "as rustic. If the bottom stayed crisp under the plums you must have put "
                        "something beneath them, almonds or breadcrumbs."
                    ),
                    user("Crushed amaretti! There was nothing else in the cupboard."),
                    assistant("Write that down before you forget it. It is better than almonds."),
                ],
            ),
        ],
    ),
    Evidence(
        "synthetic_update_1",
        "knowledge-update",
        "How much do I pay for the studio each month?",
        "2024/10/22 14:00",
        "€265",
        [
            Told(
                "2024/03/03 09:50",
                [
                    user(
                        "I live in Ghent, and I have just signed for a shared ceramics studio by "
                        "the canal. It is €240 a month with two kiln firings included.",
                        True,
                    ),
                    assistant(
                        "With two firings in it that is a fair price, as long as a firing means "
                        "a whole shelf and not a corner of one. Ask now how glaze firings are "
                        "counted, who orders the clay, and what happens to pots that nobody "
                        "fetches. Shared studios fall out over those three, and seldom over "
                        "money."
                    ),
                ],
            ),
            Told(
                "2024/09/14 19:25",
                [
                    user(
                        "The studio wrote to everybody: because of the electricity the fee goes "
                        "up to €265 from October on. I am staying, it is still the best light in "
                        "town.",
                        True,
                    ),
                    assistant(
                        "Roughly a tenth more, then, and kilns do eat power. You could ask for a "
                        "discount on firings at night, when it is cheaper for them. Good light "
                        "is hard to come by, and you would spend the difference on lamps "
                        "elsewhere."
                    ),
                    user("I will put it to them at the next meeting."),
                    assistant("Bring their own bill along. It makes the point without a speech."),
                ],
            ),
        ],
    ),
    Evidence(
        "synthetic_update_2",
        "knowledge-update",
        "What is my fastest time over ten kilometres?",
        "2024/11/27 06:30",
        "51 minutes and 40 seconds",
        [
            Told(
                "2024/04/21 13:10",
                [
                    user(
                        "I ran my first ten kilometres without walking! It took 58 minutes and "
                        "12 seconds, along the river and back, in the rain.",
                        True,
                    ),
                    assistant(
                        "Without walking, and in the rain: that is the hard part done. From here "
                        "on the cheapest minutes come from running slower. Do four of five runs "
                        "at a pace at which you could tell somebody a long story, and put all of "
                        "your effort into the fifth. Shoes that were bought a size too small "
                        "will show up at about this distance, too."
                    ),
                ],
            ),
            Told(
                "2024/11/03 12:35",
                [
                    user(
                        "The park race this morning went better than I dared hope: 51 minutes "
                        "and 40 seconds for the ten kilometres, my best so far by a long way.",
                        True,
                    ),
                    assistant(
                        "More than six minutes off since the spring. Most of that is your slow "
                        "runs, I would bet, and the rest is knowing how hard the eighth "
                        "kilometre feels. Take four easy days now, even if your legs say "
                        "otherwise on the second."
                    ),
                    user("They say stairs are out of the question."),
                    assistant("Go down them backwards. It looks odd and helps a great deal."),
                ],
            ),
        ],
    ),
    Evidence(
        "synthetic_temporal_1",
        "temporal-reasoning",
        "How many days passed between planting the quince tree and its first flower?",
        "2024/08/30 10:45",
        "38 days",
        [
            Told(
                "2024/03/16 15:20",
                [
                    user(
                        "The quince tree went into the ground today, in the corner where the "
                        "shed used to be. My spade found every brick of its foundations.",
                        True,
                    ),
                    assistant(
                        "Then the roots will have good drainage at least. Stake it low, a hand's "
                        "width below the first branch at most, so that the stem can sway and "
                        "grow thick. A bucket of water a week until midsummer does more for a "
                        "young quince than any feed, and a ring of bare earth around it keeps "
                        "the grass from drinking that bucket."
                    ),
                ],
            ),
            Told(
                "2024/04/23 07:35",
                [
                    user(
                        "One flower! The quince opened its very first one this morning, pale "
                        "pink and bigger than I had thought.",
                        True,
                    ),
                    assistant(
                        "A single flower in its first spring is a greeting and not a harvest. "
                        "Enjoy it, and if a fruit sets, take it off while it is small. The tree "
                        "should put its first two years into roots."
                    ),
                    user("That will hurt, but all right."),
                    assistant("Do it with your eyes shut, and quickly, like a plaster."),
                ],
            ),
        ],
    ),
    Evidence(
        "synthetic_temporal_2",
        "temporal-reasoning",
        "Did I adopt the cat before or after I replaced the stove?",
        "2024/12/18 17:55",
        "Before: the cat came in September and the stove in November",
        [
            Told(
                "2024/09/08 20:00",
                [
                    user(
                        "We have a cat! She is nine years old, grey, called Muriel by the "
                        "shelter, and has been under the sofa since we brought her home this "
                        "noon.",
                        True,
                    ),
                    assistant(
                        "Nine is a fine age to begin again. Leave her the sofa for as long as "
                        "she wants it: water and the litter tray within three steps, food a "
                        "little further off, and somebody reading aloud in the room for an hour "
                        "in the evening. Most cats come out for a dull voice sooner than for a "
                        "toy."
                    ),
                ],
            ),
            Told(
                "2024/11/21 18:40",
                [
                    user(
                        "The old stove is gone at last. Two men carried in the new induction one "
                        "today and Muriel supervised from the top of the fridge.",
                        True,
                    ),
                    assistant(
                        "A supervisor on the fridge means that she regards the kitchen as hers. "
                        "With induction, check your pans with a fridge magnet: what it sticks to "
                        "will work. The glass stays cool except under the pan, which is the best "
                        "news that a cat on a worktop can get."
                    ),
                    user("Half of my pans failed. The moka pot too, sadly."),
                    assistant(
                        "There are steel plates to put under it. They are slow but they work."
                    ),
                ],
            ),
        ],
    ),
    Evidence(
        "synthetic_user_3_abs",
        "single-session-user",
        "What did I name my sourdough starter?",
        "2024/05/29 12:25",
        "You mentioned that you bake with yeast, but you never mentioned a sourdough starter.",
        [
            Told(
                "2024/04/14 11:05",
                [
                    user(
                        "My bread keeps going flat in the last ten minutes. It is plain yeast "
                        "dough, nothing fancy, and it looks perfect until then."
                    ),
                    assistant(
                        "It is proving for too long. A loaf that looks perfect before it goes in "
                        "has nothing left to give once it is hot. Press a wet finger into the "
                        "dough: if the dent fills slowly and not all the way it is time, and if "
                        "it stays as it is you are half an hour late. Use colder water as well, "
                        "and a hotter oven for the first quarter of an hour."
                    ),
                    user("It would never have crossed my mind that waiting could be the mistake."),
                    assistant("With bread it is the most common one, right after hurrying."),
                ],
            )
        ],
    ),
]
