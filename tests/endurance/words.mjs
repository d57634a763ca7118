// The words and sentence frames of the generated mailbox: names, fillers, and what can be said about each kind of matter.

const list = (text) => text.trim().split(/\s*\|\s*/);
const words = (text) => text.trim().split(/\s+/);

export const NAMES = {
  en: {
    first: words(
      'Ada Amos Anya Basil Bea Carys Clem Cyril Dinah Edda Elias Enid Esme Fergus Freya Gwen Hamish Ida Idris Imogen Jonas Juno Kit Lars Leda Linus Lorna Mabel Magnus Maeve Milo Nell Nils Odette Orla Oscar Petra Piers Quinn Rhea Rory Rufus Saskia Seth Silas Sunniva Tamsin Thea Tobias Una Viggo Wanda Wilf Xanthe Yorick Zelda',
    ),
    last: words(
      'Abernethy Ashdown Barlow Blythe Brackett Calloway Carver Crane Dacre Denholm Draycott Ellery Fairfax Farrow Finch Garrick Goodwin Greaves Hallam Harker Hobday Ingham Jessop Kettering Kirkby Lamb Langley Larkin Lowther Maddox Marlow Merrick Nesbitt Nightingale Oakes Ormond Pascoe Penrose Pickering Quayle Radley Rourke Sallow Selwyn Sorrell Stannard Tansley Thorne Treadgold Underhill Vane Wainwright Westcott Wexford Winslow Yarrow',
    ),
    head: words(
      'Alder Ash Bel Birk Black Bracken Brim Cald Carr Cold Corran Craw Dun Elm Fal Fen Fox Glen Gorse Had Hart Hawk Hazel Holm Inver Kel Kings Lang Lark Led Lin Mar Mere Mill Moor Nether North Oak Orm Over Pen Quarr Raven Red Rook Row Sand Scar Sel Skel Stan Stone Thorn Tor Ul Wal Wend West Whit Wren Yar',
    ),
    tail: words('by combe cott dale den field ford gate ham haven hithe holt hurst ley marsh mere minster mouth ness ridge stead stow thorpe ton wick worth'),
    firm: words(
      'Analytics Bakers Builders Catering Ceramics Engineering Freight Glass Interiors Joinery Logistics Motors Optics Plumbing Printing Roofing Supplies Textiles Timber Tools',
    ),
  },
  ko: {
    last: words('강 고 곽 구 권 김 남 노 류 문 박 방 배 백 서 성 손 송 신 심 안 양 오 우 유 윤 이 임 장 전 정 조 주 채 최 하 한 허 홍 황'),
    given: words(
      '가 건 경 규 나 다 도 동 라 래 린 명 미 민 보 빈 서 선 성 세 소 수 슬 승 시 아 연 영 예 원 유 윤 은 의 인 재 정 주 준 지 진 채 태 하 한 해 현 혜 호 훈 희',
    ),
    head: words(
      '가람 가온 갈매 구름 금빛 나래 노을 다솔 달빛 도담 돌담 동백 두레 마루 매화 모래 무지개 물빛 미르 바람 반달 백로 버들 별내 보름 봄내 산들 새벽 샛별 서리 소담 솔빛 수련 시내 아침 여울 연꽃 오름 온새 우물 윤슬 은하 이슬 잔디 정자 참빛 초롱 푸른 하늘 한빛 햇살 호수',
    ),
    tail: words('골 길 나루 동 들 마을 말 물 봉 섬 숲 언덕 원 재 터 포 항 현'),
    firm: words('건설 공방 광학 교역 금속 기계 농산 목재 물류 설비 섬유 시스템 식품 유리 인쇄 전자 정밀 제과 제약 조명'),
  },
};

/** What goes before and after the matter of a mail: parts that combine into thousands of sentences. */
export const FILLERS = {
  en: [
    [
      list(
        'The dog|Our neighbour|My brother-in-law|The new trainee|The cat from number nine|The postman|Half of the office|The little one|My old car|The coffee machine|The band next door|Our heating',
      ),
      list(
        'kept everybody awake|was in a fine mood|made a terrible noise|disappeared again|behaved oddly|caused some laughter|was the talk of the day|got completely soaked|refused to cooperate|had one of those days',
      ),
      list(
        'last night|yesterday|this morning|all weekend|during lunch|on the way here|for most of the week|in the middle of the rain|while I was on the phone|just before dinner',
      ),
    ],
    [
      list('I am writing this from|Greetings from|I finally have a minute, sitting in|You would not believe the view from|It is raining on'),
      list(
        'a crowded train|the back of the hall|the kitchen table|a very small café|the waiting room|the garden bench|the car park|seat 42 of a delayed bus|the library stairs',
      ),
      list('with cold tea|and nothing to read|as so often|with wet shoes|before the others arrive|with the window open|and thinking of soup'),
    ],
    [
      list('Thanks again for|I still smile about|We all enjoyed|I have not forgotten|Sorry that I missed'),
      list(
        'your long letter|the walk on the dunes|the pictures of the snow|the supper at your place|the story of the lost umbrella|your advice about the tomatoes|the song that you sent|the cake with the plums',
      ),
      list('the other day|back then|on Sunday|last month|in spite of everything|more than I can say'),
    ],
  ],
  ko: [
    [
      list('옆집 강아지가|막내가|새로 온 직원이|우리 집 보일러가|윗집 아이들이|동네 고양이가|커피 머신이|오래된 자전거가|사무실 화분이|택배 기사님이'),
      list('어젯밤에|오늘 아침에|주말 내내|점심시간에|퇴근길에|비 오는 와중에|전화하는 사이에|며칠째|저녁 먹기 전에'),
      list('한바탕 소동을 벌였어요|말을 안 들었어요|모두를 웃게 했어요|또 사라졌어요|기분이 좋아 보였어요|흠뻑 젖었어요|조용해서 이상했어요|화제가 되었어요'),
    ],
    [
      list('요즘은|이번 주는|여기는|그쪽은|주말에는|아침저녁으로는|산책길은'),
      list('날이 제법 쌀쌀해서|비가 자주 와서|꽃이 한창이라|바람이 심해서|하늘이 맑아서|미세먼지가 많아서|눈이 쌓여서'),
      list('따뜻한 차 생각이 나네요|다들 집에만 있네요|걷기에 좋네요|빨래가 안 마르네요|마음이 한결 가볍네요|감기 조심하셔야겠어요'),
    ],
    [
      list('지난번에 보내 주신|그때 들려주신|일전에 주신|얼마 전에 나눠 주신'),
      list('사진은|귤은|이야기는|책은|김치는|노래는|편지는'),
      list('온 식구가 잘 보았습니다|아직도 생각납니다|정말 고마웠습니다|두고두고 잘 간직하겠습니다|다들 좋아했습니다'),
    ],
  ],
};

export const GREETINGS = {
  en: list('Hi,|Hello,|Dear all,|Hi there,|Good morning,|Good evening,|Hello again,|Just a quick note.|A short update from me.|Hey,'),
  ko: list('안녕하세요,|안녕하세요. 잘 지내시죠?|수고 많으십니다.|좋은 아침입니다.|늘 감사드립니다.|잠깐 소식 전합니다.|반갑습니다.|별일 없으시죠?'),
};
export const CLOSINGS = {
  en: list('Best,|All the best,|Thanks,|See you soon,|Warm regards,|Take care,|Yours,|Cheers,|Until then,|With love,'),
  ko: list('감사합니다.|고맙습니다.|그럼 또 연락드릴게요.|좋은 하루 보내세요.|건강 조심하세요.|수고하세요.|편안한 저녁 되세요.'),
};
/** Answers without a fact. */
export const CHATTER = {
  en: [
    list('Thanks,|Great,|Perfect,|Good to know,|Ah, I see,|Lovely,|Noted,|All right,|Ha,|Very well,'),
    list(
      'that works for me|I was wondering about it|no hurry at all|you are a star|that made my day|let us leave it like that|I am glad you asked|that is what I thought too|we will manage',
    ),
    list(
      'and say hello to everybody.|and have a good evening.|so see you then.|even if it rains.|as always.|at least I hope so.|so do not worry.|and mind the step.',
    ),
  ],
  ko: [
    list('네,|아,|알겠습니다,|좋아요,|오,|그렇군요,|확인했어요,|고마워요,'),
    list('그렇게 하면 되겠네요|저도 그 생각을 했어요|덕분에 마음이 놓여요|천천히 하셔도 돼요|말씀 감사해요|걱정하지 마세요|듣던 중 반가운 소식이네요'),
    list('다들 안부 전해 주세요.|좋은 저녁 보내세요.|그럼 그때 봬요.|늘 그렇듯이요.|조심히 들어가세요.|또 이야기해요.'),
  ],
};

/**
 * Matters by language and kind: how one is called, and its facts. {m} is the matter, {v} the value, {o} the value before it.
 * `says` state it, `changes` change it, `asks` ask for it.
 */
export const MATTERS = {
  en: {
    house: {
      names: ['the {work} at {place} Cottage', 'the {work} of the {place} house', 'the {work} in {place} Lane'],
      work: words('roof chimney staircase bathroom cellar conservatory attic fireplace porch kitchen veranda workshop'),
      facts: {
        start: {
          type: 'date',
          says: ['Work on {m} begins on {v}.', '{M} will be started on {v}.', 'They start with {m} on {v}.'],
          changes: ['The start of {m} has moved from {o} to {v}.', 'Work on {m} now begins on {v}, not on {o}.'],
          asks: ['When does the work on {m} begin?', 'Start date of {m}?'],
        },
        price: {
          type: 'money',
          says: ['The quote for {m} is {v}.', 'For {m} they want {v} in all.', '{M} costs {v} according to the offer.'],
          changes: ['The price of {m} went from {o} to {v}.', 'The quote for {m} is now {v} instead of {o}.'],
          asks: ['How much does {m} cost?', 'What is the quote for {m}?'],
        },
        firm: {
          type: 'firm',
          says: ['{v} will do {m}.', 'We gave {m} to {v}.', '{M} is done by {v}.'],
          changes: ['{v} will do {m} instead of {o}.', '{o} cancelled, so {m} goes to {v}.'],
          asks: ['Which firm does {m}?', 'Who was hired for {m}?'],
        },
      },
    },
    trip: {
      names: ['the trip to {place}', 'the week in {place}', 'the visit to {place}'],
      facts: {
        leave: {
          type: 'date',
          says: ['We leave for {m} on {v}.', 'Departure for {m} is {v}.', '{M} begins on {v}.'],
          changes: ['Departure for {m} is now {v} instead of {o}.', '{M} had to move from {o} to {v}.'],
          asks: ['When do we leave for {m}?', 'Departure date of {m}?'],
        },
        hotel: {
          type: 'inn',
          says: ['For {m} we are booked into the {v}.', 'I reserved rooms at the {v} for {m}.', 'Our hotel for {m} is the {v}.'],
          changes: ['The hotel for {m} is now the {v}; the {o} was full.', 'We changed the hotel of {m} from the {o} to the {v}.'],
          asks: ['Which hotel is booked for {m}?', 'Where do we stay during {m}?'],
        },
        fare: {
          type: 'money',
          says: ['The tickets for {m} cost {v}.', 'For {m} the train is {v} each.'],
          changes: ['The tickets for {m} rose from {o} to {v}.', 'Tickets for {m} are {v} now, no longer {o}.'],
          asks: ['What do the tickets for {m} cost?'],
        },
      },
    },
    project: {
      names: ['project {place}', 'the {place} migration', 'the {place} release', 'the {place} audit'],
      facts: {
        budget: {
          type: 'money',
          says: ['The budget of {m} is {v}.', '{M} has a budget of {v}.', 'Finance approved {v} for {m}.'],
          changes: ['The budget of {m} was raised from {o} to {v}.', 'Finance changed the budget of {m}: {v} instead of {o}.'],
          asks: ['What is the budget of {m}?', 'How much money does {m} have?'],
        },
        due: {
          type: 'date',
          says: ['{M} is due on {v}.', 'The deadline of {m} is {v}.', 'We deliver {m} on {v}.'],
          changes: ['The deadline of {m} moved from {o} to {v}.', '{M} is now due on {v} instead of {o}.'],
          asks: ['When is {m} due?', 'What is the deadline of {m}?'],
        },
        lead: {
          type: 'person',
          says: ['{v} leads {m}.', 'The lead of {m} is {v}.', '{v} is responsible for {m}.'],
          changes: ['{v} takes over {m} from {o}.', 'The lead of {m} is now {v} instead of {o}.'],
          asks: ['Who leads {m}?', 'Who is responsible for {m}?'],
        },
        review: {
          type: 'clock',
          says: ['The weekly review of {m} is at {v}.', 'We review {m} every Tuesday at {v}.'],
          changes: ['The weekly review of {m} moved from {o} to {v}.', 'From now on we review {m} at {v}, not at {o}.'],
          asks: ['At what time is the weekly review of {m}?'],
        },
      },
    },
    event: {
      names: ['the {place} concert', 'the {place} supper', 'the {place} fair', 'the {place} regatta'],
      facts: {
        day: {
          type: 'date',
          says: ['{M} takes place on {v}.', 'The date of {m} is {v}.', 'Please keep {v} free for {m}.'],
          changes: ['{M} was moved from {o} to {v}.', 'The new date of {m} is {v}, not {o}.'],
          asks: ['When does {m} take place?', 'On which day is {m}?'],
        },
        venue: {
          type: 'hall',
          says: ['{M} is held in the {v}.', 'We rented the {v} for {m}.', 'The venue of {m} is the {v}.'],
          changes: ['{M} moves from the {o} to the {v}.', 'The venue of {m} is now the {v} instead of the {o}.'],
          asks: ['Where is {m} held?', 'What is the venue of {m}?'],
        },
        guests: {
          type: 'count',
          says: ['We expect {v} guests at {m}.', '{v} people have signed up for {m}.'],
          changes: ['The number of guests at {m} went from {o} to {v}.', 'Now {v} people come to {m}, not {o}.'],
          asks: ['How many guests come to {m}?'],
        },
      },
    },
    order: {
      names: ['the {work} for {place}', 'the {work} for the {place} shop'],
      work: list(
        'walnut tables|blue plates|linen curtains|oak shelves|brass lamps|wool blankets|rye loaves|tea bowls|copper kettles|wicker baskets|leather satchels|glass jars',
      ),
      facts: {
        amount: {
          type: 'count',
          says: ['The client ordered {v} pieces: {m}.', 'For {m} we make {v} pieces.', 'We need {v} pieces of {m}.'],
          changes: ['For {m} it is now {v} pieces instead of {o}.', 'The quantity of {m} went from {o} to {v} pieces.'],
          asks: ['How many pieces are ordered of {m}?'],
        },
        deliver: {
          type: 'date',
          says: ['Delivery of {m} is on {v}.', 'We deliver {m} on {v}.', '{M} must arrive by {v}.'],
          changes: ['Delivery of {m} moved from {o} to {v}.', 'We deliver {m} on {v} instead of {o}.'],
          asks: ['When is the delivery of {m}?'],
        },
        price: {
          type: 'money',
          says: ['The price of {m} is {v}.', 'We agreed on {v} for {m}.'],
          changes: ['The price of {m} changed from {o} to {v}.', 'We now agreed on {v} for {m} instead of {o}.'],
          asks: ['What price was agreed for {m}?'],
        },
      },
    },
    course: {
      names: ['the {work} course in {place}', 'the {place} {work} class'],
      work: words('pottery Italian drawing sailing violin welding photography bookbinding Norwegian carpentry'),
      facts: {
        teacher: {
          type: 'person',
          says: ['{v} teaches {m}.', 'The teacher of {m} is {v}.'],
          changes: ['{v} replaces {o} as the teacher of {m}.', '{M} is now taught by {v}, no longer by {o}.'],
          asks: ['Who teaches {m}?'],
        },
        fee: {
          type: 'money',
          says: ['The fee of {m} is {v}.', '{M} costs {v} a term.'],
          changes: ['The fee of {m} rises from {o} to {v}.', '{M} now costs {v} a term instead of {o}.'],
          asks: ['What is the fee of {m}?'],
        },
        room: {
          type: 'room',
          says: ['{M} meets in room {v}.', 'The room of {m} is {v}.'],
          changes: ['{M} moves from room {o} to room {v}.', 'The room of {m} is now {v}, not {o}.'],
          asks: ['In which room is {m}?'],
        },
      },
    },
  },
  ko: {
    project: {
      names: ['{place} 과제', '{place} 시스템 구축', '{place} 신제품 개발', '{place} 현장 점검'],
      facts: {
        budget: {
          type: 'money',
          says: ['{m} 예산은 {v}으로 확정되었습니다.', '{m}에 {v}이 배정되었습니다.', '{m} 예산은 {v}입니다.'],
          changes: ['{m} 예산이 {o}에서 {v}으로 변경되었습니다.', '{m} 예산을 {o}에서 {v}으로 조정합니다.'],
          asks: ['{m} 예산은 얼마인가요?', '{m}에 배정된 금액은?'],
        },
        due: {
          type: 'date',
          says: ['{m} 마감일은 {v}입니다.', '{m} 완료 예정일은 {v}입니다.', '{m:은} {v}까지 마쳐야 합니다.'],
          changes: ['{m} 마감일이 {o}에서 {v}로 변경되었습니다.', '{m} 마감이 {o}에서 {v}로 연기되었습니다.'],
          asks: ['{m} 마감일은 언제인가요?', '{m} 마감이 언제지?'],
        },
        lead: {
          type: 'person',
          says: ['{m} 담당자는 {v}입니다.', '{m:은} {v} 과장이 맡습니다.', '{m} 책임자로 {v} 님이 정해졌습니다.'],
          changes: ['{m} 담당자가 {o}에서 {v}로 바뀌었습니다.', '{m} 담당이 {o} 님에서 {v} 님으로 변경되었습니다.'],
          asks: ['{m} 담당자는 누구인가요?', '{m} 누가 맡고 있지?'],
        },
        weekly: {
          type: 'clock',
          says: ['{m} 주간 회의는 매주 화요일 {v}입니다.', '{m} 정기 회의 시간은 {v}입니다.'],
          changes: ['{m} 주간 회의 시간이 {o}에서 {v}로 변경되었습니다.', '{m} 정기 회의를 {o}에서 {v}로 옮깁니다.'],
          asks: ['{m} 주간 회의는 몇 시인가요?'],
        },
      },
    },
    family: {
      names: ['{place} 여행', '{place} 가족 모임', '{place} 이사', '{place} 돌잔치'],
      facts: {
        day: {
          type: 'date',
          says: ['{m} 날짜는 {v}로 정했어요.', '{m:은} {v}에 하기로 했어요.', '{m} 일정은 {v}입니다.'],
          changes: ['{m} 날짜가 {o}에서 {v}로 바뀌었어요.', '{m:을} {o}에서 {v}로 미뤘어요.'],
          asks: ['{m} 날짜가 언제예요?', '{m} 언제 하기로 했지?'],
        },
        place: {
          type: 'inn',
          says: ['{m} 숙소는 {v}로 예약했어요.', '{m} 장소는 {v}입니다.'],
          changes: ['{m} 장소가 {o}에서 {v}로 바뀌었어요.', '{m} 예약을 {o}에서 {v}로 옮겼어요.'],
          asks: ['{m} 장소가 어디예요?', '{m} 어디로 예약했지?'],
        },
        cost: {
          type: 'money',
          says: ['{m} 비용은 {v}이에요.', '{m}에 드는 돈은 모두 {v}입니다.'],
          changes: ['{m} 비용이 {o}에서 {v}으로 올랐어요.', '{m} 비용은 {o}이 아니라 {v}이에요.'],
          asks: ['{m} 비용이 얼마예요?'],
        },
      },
    },
    school: {
      names: ['{place} 체험 학습', '{place} 발표회', '{place} 방과 후 수업', '{place} 학부모 상담'],
      facts: {
        day: {
          type: 'date',
          says: ['{m:은} {v}에 진행됩니다.', '{m} 날짜는 {v}입니다.'],
          changes: ['{m} 날짜가 {o}에서 {v}로 변경되었습니다.', '{m:이} {o}에서 {v}로 연기되었습니다.'],
          asks: ['{m} 날짜는 언제인가요?', '{m} 언제 하나요?'],
        },
        teacher: {
          type: 'person',
          says: ['{m} 담당 교사는 {v} 선생님입니다.', '{m:은} {v} 선생님이 이끕니다.'],
          changes: ['{m} 담당 교사가 {o} 선생님에서 {v} 선생님으로 바뀌었습니다.'],
          asks: ['{m} 담당 선생님은 누구인가요?'],
        },
        fee: {
          type: 'money',
          says: ['{m} 참가비는 {v}입니다.', '{m} 회비로 {v}을 걷습니다.'],
          changes: ['{m} 참가비가 {o}에서 {v}으로 변경되었습니다.'],
          asks: ['{m} 참가비는 얼마인가요?'],
        },
        room: {
          type: 'room',
          says: ['{m} 장소는 {v}호실입니다.', '{m:은} {v}호에서 모입니다.'],
          changes: ['{m} 장소가 {o}호실에서 {v}호실로 변경되었습니다.'],
          asks: ['{m} 몇 호실에서 하나요?'],
        },
      },
    },
    building: {
      names: ['{place} 빌라 {work}', '{place} 오피스텔 {work}', '{place} 상가 {work}'],
      work: words('옥상방수 승강기교체 외벽도색 배관공사 주차장보수 소방점검 정화조청소 난방교체'),
      facts: {
        start: {
          type: 'date',
          says: ['{m} 시작일은 {v}입니다.', '{m:은} {v}에 시작합니다.'],
          changes: ['{m} 시작일이 {o}에서 {v}로 변경되었습니다.', '{m} 일정이 {o}에서 {v}로 조정되었습니다.'],
          asks: ['{m} 시작일은 언제인가요?'],
        },
        price: {
          type: 'money',
          says: ['{m} 견적은 {v}입니다.', '{m} 공사비는 {v}으로 합의했습니다.'],
          changes: ['{m} 공사비가 {o}에서 {v}으로 변경되었습니다.', '{m} 견적이 {o}에서 {v}으로 수정되었습니다.'],
          asks: ['{m} 공사비는 얼마인가요?', '{m} 견적은?'],
        },
        firm: {
          type: 'firm',
          says: ['{m} 업체는 {v}입니다.', '{m:은} {v}에서 맡기로 했습니다.'],
          changes: ['{m} 업체가 {o}에서 {v}로 바뀌었습니다.'],
          asks: ['{m} 업체는 어디인가요?'],
        },
      },
    },
    contract: {
      names: ['{firm} 계약', '{firm} 납품', '{firm} 세무 신고', '{firm} 임대차'],
      facts: {
        sign: {
          type: 'date',
          says: ['{m} 기한은 {v}입니다.', '{m} 예정일은 {v}로 잡혔습니다.'],
          changes: ['{m} 기한이 {o}에서 {v}로 연장되었습니다.', '{m} 예정일이 {o}에서 {v}로 변경되었습니다.'],
          asks: ['{m} 기한은 언제인가요?', '{m} 예정일이 언제지?'],
        },
        amount: {
          type: 'money',
          says: ['{m} 금액은 {v}입니다.', '{m} 건은 {v}으로 합의했습니다.'],
          changes: ['{m} 금액이 {o}에서 {v}으로 변경되었습니다.', '{m} 금액을 {o}에서 {v}으로 정정합니다.'],
          asks: ['{m} 금액은 얼마인가요?'],
        },
        contact: {
          type: 'person',
          says: ['{m} 실무자는 {v} 대리입니다.', '{m} 창구는 {v} 님입니다.'],
          changes: ['{m} 실무자가 {o} 대리에서 {v} 대리로 바뀌었습니다.'],
          asks: ['{m} 실무자는 누구인가요?'],
        },
        count: {
          type: 'count',
          says: ['{m} 수량은 {v}개입니다.', '{m}에 필요한 수량은 {v}개입니다.'],
          changes: ['{m} 수량이 {o}개에서 {v}개로 변경되었습니다.'],
          asks: ['{m} 수량은 몇 개인가요?'],
        },
      },
    },
  },
};

/** Ten lives: a role, a language, the kinds of their matters, and how likely they write in HTML. */
export const LIVES = [
  { role: 'sister', language: 'en', kinds: ['house', 'trip'], html: 0.1 },
  { role: 'mother', language: 'ko', kinds: ['family'], html: 0 },
  { role: 'manager', language: 'ko', kinds: ['project', 'contract'], html: 0.5 },
  { role: 'colleague', language: 'en', kinds: ['project'], html: 0.6 },
  { role: 'choir secretary', language: 'en', kinds: ['event', 'course'], html: 0.2 },
  { role: 'caretaker', language: 'ko', kinds: ['building'], html: 0.1 },
  { role: 'friend with a workshop', language: 'en', kinds: ['order', 'event'], html: 0.1 },
  { role: 'teacher', language: 'ko', kinds: ['school'], html: 0.4 },
  { role: 'sales agent', language: 'en', kinds: ['order', 'trip', 'course'], html: 0.6 },
  { role: 'accountant', language: 'ko', kinds: ['contract', 'building'], html: 0.3 },
];

export const INNS = {
  en: [
    words('Anchor Bell Crown Drover Eagle Falcon Grapevine Harp Kestrel Lantern Mermaid Otter Plough Swan Thistle'),
    words('Arms Guesthouse Hotel Inn Lodge'),
  ],
  ko: [words('가온 나루 다온 들꽃 별마루 솔향 여울 온유 은하수 푸른솔 해오름 호반'), words('호텔 펜션 회관 웨딩홀 리조트 식당')],
};
export const HALLS = [
  words('Assembly Corn Drill Guild Market Merchant Old Parish Quay Sailors Trinity Weavers'),
  words('Chapel Exchange Hall House Loft Rooms Theatre'),
];
/** Repeating notices. Each has a subject, rows of a table, and a question; {n} is its number. */
export const NOTICES = {
  en: [
    {
      from: 'orders',
      firm: 'Textiles',
      subject: 'Your order {n}',
      rows: { Order: '{n}', Total: '{money}', 'Delivery date': '{date}' },
      says: ['Your order {n} over {money} will be delivered on {date}.', 'Order {n} is confirmed: {money}, delivery on {date}.'],
      asks: ['How much is order {n}?', 'money'],
    },
    {
      from: 'billing',
      firm: 'Motors',
      subject: 'Invoice {n}',
      rows: { Invoice: '{n}', Amount: '{money}', 'Payable by': '{date}' },
      says: ['Invoice {n} over {money} is payable by {date}.', 'Please pay {money} for invoice {n} by {date}.'],
      asks: ['By when must invoice {n} be paid?', 'date'],
    },
    {
      from: 'bookings',
      firm: 'Optics',
      subject: 'Appointment {n}',
      rows: { Reference: '{n}', Date: '{date}', Time: '{clock}' },
      says: ['Your appointment {n} is on {date} at {clock}.', 'We look forward to seeing you on {date} at {clock} (reference {n}).'],
      asks: ['On which day is appointment {n}?', 'date'],
    },
  ],
  ko: [
    {
      from: 'order',
      firm: '식품',
      subject: '주문 {n} 안내',
      rows: { 주문번호: '{n}', 결제금액: '{money}', 배송예정일: '{date}' },
      says: ['주문 {n}의 결제 금액은 {money}이며 {date}에 배송될 예정입니다.', '주문 {n} 결제가 완료되었습니다. 금액은 {money}, 배송 예정일은 {date}입니다.'],
      asks: ['주문 {n} 금액은 얼마인가요?', 'money'],
    },
    {
      from: 'bill',
      firm: '전자',
      subject: '{n} 청구서',
      rows: { 청구번호: '{n}', 청구금액: '{money}', 납부기한: '{date}' },
      says: ['청구서 {n}의 금액 {money}을 {date}까지 납부해 주세요.', '청구서 {n}: {money}, 납부 기한은 {date}입니다.'],
      asks: ['청구서 {n} 납부 기한은 언제인가요?', 'date'],
    },
    {
      from: 'care',
      firm: '제약',
      subject: '예약 {n} 확인',
      rows: { 예약번호: '{n}', 예약일: '{date}', 시간: '{clock}' },
      says: ['예약 {n:은} {date} {clock}로 확정되었습니다.', '{date} {clock}에 예약되었습니다. 예약 번호는 {n}입니다.'],
      asks: ['예약 {n} 날짜는 언제인가요?', 'date'],
    },
  ],
};
/** Series: the same sentence with other figures, week after week. */
export const SERIES = {
  en: [
    ['Backup {place}', 'Nightly backup of {place} finished: {count} GB in {small} minutes, {large} files copied.'],
    ['Weekly report {place}', 'Weekly report of {place}: {count} hours booked, {small} tasks still open, {large} visits.'],
    ['Meter reading', 'The meter of flat {small} stands at {large} kWh, {count} more than a month ago.'],
    ['Stand-up', 'Reminder: stand-up at {clock} in room {room}.'],
  ],
  ko: [
    ['{place} 주간 보고', '{place} 주간 보고: 완료 {count}건, 진행 {small}건, 조회 {large}회입니다.'],
    ['{place} 서버 점검', '{place} 서버 점검 완료: 소요 {small}분, 오류 {count}건, 처리 {large}건입니다.'],
    ['관리비 안내', '{small}월 관리비는 {money}이며 사용량은 {count}입니다.'],
    ['출석 안내', '오늘 {clock}에 {room}호에서 모입니다.'],
  ],
};
export const OFFERS = {
  en: [
    list('Up to {small}% off|Only this weekend: {small}% off|{small}% off with code {code}|Two for one|Free shipping'),
    list('all lamps|every novel|garden chairs|winter coats|running shoes|tea and coffee|headphones|travel bags'),
    list('until Sunday.|while stocks last.|for members.|in all our shops.|for a short time.'),
  ],
  ko: [
    list('최대 {small}% 할인|이번 주말 {small}% 쿠폰|{code} 코드로 {small}% 할인|1+1 행사|무료 배송'),
    list('조명 전 품목|베스트셀러|캠핑 의자|겨울 외투|운동화|차와 커피|이어폰|여행 가방'),
    list('일요일까지입니다.|한정 수량입니다.|회원 전용입니다.|전 매장에서 만나 보세요.|지금 확인하세요.'),
  ],
};
